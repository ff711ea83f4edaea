/* CONTRACT is the path of the bundled file, given by the Makefile. */
  .section .rodata
  .balign 16
  .global contract_text
  .type contract_text, %object
contract_text:
  .incbin CONTRACT
  .size contract_text, . - contract_text
  .global contract_end
  .type contract_end, %object
contract_end:
  .byte 0
  .size contract_end, 1
  .section .note.GNU-stack, "", %progbits
