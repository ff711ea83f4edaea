#include "lib/symbolic/language.h"

static const struct language *const languages[ARMDYN_CODE_LANGUAGES] = {
  [ARMDYN_CODE_C] = &language_c,           [ARMDYN_CODE_STRUCTURED_TEXT] = &language_structured_text,
  [ARMDYN_CODE_PYTHON] = &language_python, [ARMDYN_CODE_MATLAB] = &language_matlab,
  [ARMDYN_CODE_LATEX] = &language_latex,   [ARMDYN_CODE_TEXT] = &language_text,
};

const struct language *language_of(enum armdyn_code_language language)
{
  return languages[language];
}
