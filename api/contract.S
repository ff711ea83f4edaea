/* What the build makes of the contract, inside the binary: CONTRACT and CLIENT are the paths of the files, given by the Makefile. */
  .macro embed name, file
  .section .rodata
  .balign 16
  .global \name\()_text
  .type \name\()_text, %object
\name\()_text:
  .incbin "\file"
\name\()_end:
  .size \name\()_text, . - \name\()_text
  .balign 8
  .global \name\()_length
  .type \name\()_length, %object
\name\()_length:
  .quad \name\()_end - \name\()_text
  .size \name\()_length, 8
  .endm

  embed contract, CONTRACT
  embed client, CLIENT
  .section .note.GNU-stack, "", %progbits
