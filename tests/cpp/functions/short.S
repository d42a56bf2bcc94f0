// SPDX-License-Identifier: Apache-2.0
// Functions whose first bytes cannot become a jump, and one whose can.
        .text
        .macro FUNCTION name
        .globl \name
        .type \name, @function
\name:
        .endm
        .macro END name
        .size \name, . - \name
        .endm

        .balign 16
FUNCTION without_room
        ret
END without_room
FUNCTION right_behind
        xor %eax, %eax
        ret
END right_behind
        .byte 1, 2, 3, 4

        .balign 16
FUNCTION loops_into_its_start
        push %rbx
1:      dec %rdi
        jne 1b
        pop %rbx
        ret
END loops_into_its_start

        .balign 16
FUNCTION calls_at_once
        push %rbx
        call *%rax
        pop %rbx
        ret
END calls_at_once

        .balign 16
FUNCTION branches_by_rcx
        jrcxz 1f
        inc %rax
1:      ret
END branches_by_rcx

        .balign 16
FUNCTION calls_in_first_place
        call right_behind
        inc %rax
        ret
END calls_in_first_place

        .balign 16
FUNCTION reads_nearby
        mov number(%rip), %eax
        ret
END reads_nearby

        .balign 16
FUNCTION data_in_code
        jmp 1f
        .byte 0x06, 0x06, 0x06
1:      ret
END data_in_code

        .balign 16
FUNCTION main
        sub $8, %rsp
        call reads_nearby
        call calls_in_first_place
        mov $3, %rdi
        call loops_into_its_start
        xor %eax, %eax
        add $8, %rsp
        ret
END main
        .data
number: .long 7
        .section .note.GNU-stack, "", @progbits
