/* The bytes of a file of this tree as a NUL-terminated text in the program. The Makefile says that the object depends on it. */
#ifndef SERVER_BASE_EMBED_H
#define SERVER_BASE_EMBED_H

#define EMBED(symbol, path)                                                                                            \
  __asm__(".pushsection .rodata\n" #symbol ":\n.incbin \"" path "\"\n.byte 0\n.popsection\n");                         \
  extern const char symbol[] __attribute__((visibility("hidden")))

#endif
