#include "api/codec/verification_calls.h"

#include "api/codec/shown_call.h"
#include "api/codec/verification.h"
#include "api/report/page.h"

const char *verification_text(const cJSON *in, const char *path)
{
  const char *text = document_text(in, path);
  return text ? text : "";
}

size_t verification_names(const cJSON *document, const char *list, const char **names, size_t most)
{
  const cJSON *item;
  size_t count = 0;
  cJSON_ArrayForEach (item, document_at(document, list))
    if (count < most) names[count++] = verification_text(item, "name");
  return count;
}

/* The item of the request's list that is called so, with its name written out; in a list of its own. */
static void keep_one(cJSON *request, const char *list, const char *name, size_t at)
{
  const cJSON *item = cJSON_GetArrayItem(cJSON_GetObjectItem(request, list), (int)at);
  cJSON *own = item ? cJSON_Duplicate(item, true) : NULL, *alone = own ? cJSON_CreateArray() : NULL;
  if (!alone) return;
  if (!cJSON_GetObjectItem(own, "name")) cJSON_AddStringToObject(own, "name", name);
  cJSON_AddItemToArray(alone, own);
  cJSON_ReplaceItemInObject(request, list, alone);
}

/* The budget of accuracy comes with the case that it is of. */
static void keep_accuracy(cJSON *request, const cJSON *document, const size_t at[3], const char *law,
                          const char *reference)
{
  const cJSON *budget = document_at(document, "accuracy");
  const bool its = budget && !at[0] && !strcmp(verification_text(budget, "law"), law) &&
                   !strcmp(verification_text(budget, "reference"), reference);
  cJSON_DeleteItemFromObject(request, "accuracy");
  cJSON *own = its ? cJSON_AddObjectToObject(request, "accuracy") : NULL;
  if (own) cJSON_AddStringToObject(own, "identification", verification_text(budget, "identification"));
}

static void write_call(const cJSON *document, struct buffer *out, const char *plant, const char *law,
                       const char *reference, const size_t at[3])
{
  cJSON *request = cJSON_Duplicate(document_at(document, "request"), true);
  if (!request) {
    out->failure = ARMDYN_EMEMORY;
    return;
  }
  keep_accuracy(request, document, at, law, reference);
  cJSON_DeleteItemFromObject(request, "q");
  cJSON_AddItemToObject(request, "q", cJSON_Duplicate(document_at(document, "q"), true));
  keep_one(request, "plants", plant, at[0]);
  keep_one(request, "laws", law, at[1]);
  keep_one(request, "references", reference, at[2]);
  shown_call_write(document, "verifications", request, out);
  cJSON_Delete(request);
}

/* The laws of the request; those that are another one without its model come with it. */
void verification_calls_write(const cJSON *document, enum report_language language, struct buffer *out)
{
  const char *plants[LIMIT_VERIFICATION_PLANTS], *laws[VERIFICATION_LAWS_MOST],
      *references[LIMIT_VERIFICATION_REFERENCES];
  const size_t plant_count = verification_names(document, "plants", plants, LIMIT_VERIFICATION_PLANTS);
  const size_t law_count = verification_names(document, "laws", laws, VERIFICATION_LAWS_MOST);
  const size_t reference_count = verification_names(document, "references", references, LIMIT_VERIFICATION_REFERENCES);
  page_section(out, report_words(language, "To find it again"));
  page_text(out,
            report_words(language,
                         "With A the address of the service (and your key, where it asks for one) each of these "
                         "computes one case anew, a law without its model beside it, with the same figures; what is "
                         "told of several cases follows from theirs."));
  for (size_t i = 0; i < plant_count; i++) {
    size_t own = 0;
    for (size_t k = 0; k < law_count; k++) {
      char path[64];
      snprintf(path, sizeof path, "request/laws/%zu/without_model", own);
      for (size_t r = 0; r < reference_count; r++)
        write_call(document, out, plants[i], laws[k], references[r], (const size_t[]){ i, own, r });
      if (document_truth(document, path)) k++;
      own++;
    }
  }
}
