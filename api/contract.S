/* CONTRACT is the path of the bundled file, given by the Makefile. */
  .section .rodata
  .balign 16
  .global contract_text
  .type contract_text, %object
contract_text:
  .incbin CONTRACT
contract_text_end:
  .size contract_text, . - contract_text
  .balign 8
  .global contract_length
  .type contract_length, %object
contract_length:
  .quad contract_text_end - contract_text
  .size contract_length, 8
  .section .note.GNU-stack, "", %progbits
