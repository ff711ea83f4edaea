/* The controller's program in structured text (IEC 61131-3): the constants of the protocol's tables, then
 * examples/controllers/controller.st, which uses them. */
#ifndef SERVER_CMD_STRUCTURED_TEXT_H
#define SERVER_CMD_STRUCTURED_TEXT_H

void structured_text_print(unsigned base);

#endif
