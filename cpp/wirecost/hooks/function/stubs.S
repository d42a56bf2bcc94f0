// SPDX-License-Identifier: Apache-2.0
// Where functions begin and return while they are recorded. x86-64, System V ABI.
//
// A recorded function finds the address of a stub in the place of its return address, one stub for
// each depth of each thread; the true address lies in the stub's slot, at a distance that is the
// same for all stubs. The unwinder finds it there too: see .eh_frame below.

#define BLOCKS 256
#define BLOCK_BYTES 1024

        .text
// All registers are kept, not only those of the ABI: the compiler knows which registers a local
// function leaves alone (-fipa-ra). For the same reason the stack is aligned here: local functions
// that need no alignment are called without it (-fipa-stack-alignment).
.macro SAVE
        pushfq
        push %rax; push %rdi; push %rsi; push %rdx; push %rcx
        push %r8; push %r9; push %r10; push %r11
        push %rbx
        mov %rsp, %rbx
        sub $256, %rsp
        and $-16, %rsp
        movaps %xmm0, (%rsp); movaps %xmm1, 16(%rsp); movaps %xmm2, 32(%rsp)
        movaps %xmm3, 48(%rsp); movaps %xmm4, 64(%rsp); movaps %xmm5, 80(%rsp)
        movaps %xmm6, 96(%rsp); movaps %xmm7, 112(%rsp); movaps %xmm8, 128(%rsp)
        movaps %xmm9, 144(%rsp); movaps %xmm10, 160(%rsp); movaps %xmm11, 176(%rsp)
        movaps %xmm12, 192(%rsp); movaps %xmm13, 208(%rsp); movaps %xmm14, 224(%rsp)
        movaps %xmm15, 240(%rsp)
.endm
.macro RESTORE
        movaps (%rsp), %xmm0; movaps 16(%rsp), %xmm1; movaps 32(%rsp), %xmm2
        movaps 48(%rsp), %xmm3; movaps 64(%rsp), %xmm4; movaps 80(%rsp), %xmm5
        movaps 96(%rsp), %xmm6; movaps 112(%rsp), %xmm7; movaps 128(%rsp), %xmm8
        movaps 144(%rsp), %xmm9; movaps 160(%rsp), %xmm10; movaps 176(%rsp), %xmm11
        movaps 192(%rsp), %xmm12; movaps 208(%rsp), %xmm13; movaps 224(%rsp), %xmm14
        movaps 240(%rsp), %xmm15
        mov %rbx, %rsp
        pop %rbx
        pop %r11; pop %r10; pop %r9; pop %r8
        pop %rcx; pop %rdx; pop %rsi; pop %rdi; pop %rax
        popfq
.endm
// From %rbx to what was on top of the stack before.
#define SAVED (11 * 8)
#define FIRST_ARGUMENT (8 * 8)

// From a function's entry: on the stack are the way back, the function's number and its return
// address; %rdi is its first argument.
        .globl wirecost_function_entry
        .hidden wirecost_function_entry
        .type wirecost_function_entry, @function
wirecost_function_entry:
        SAVE
        mov SAVED+8(%rbx), %rdi
        lea SAVED+16(%rbx), %rsi
        mov FIRST_ARGUMENT(%rbx), %rdx
        call wirecost_function_enter
        RESTORE
        ret
        .size wirecost_function_entry, . - wirecost_function_entry

// From the loader's function that debuggers watch.
        .globl wirecost_function_loading
        .hidden wirecost_function_loading
        .type wirecost_function_loading, @function
wirecost_function_loading:
        SAVE
        call wirecost_function_loaded
        RESTORE
        ret
        .size wirecost_function_loading, . - wirecost_function_loading

        .type common_exit, @function
common_exit:
        SAVE
        mov SAVED(%rbx), %rdi
        call wirecost_function_leave
        mov %rax, SAVED(%rbx)
        RESTORE
        ret
        .size common_exit, . - common_exit

        .balign BLOCK_BYTES, 0xcc
        .globl wirecost_function_stubs
        .hidden wirecost_function_stubs
        .type wirecost_function_stubs, @object
wirecost_function_stubs:
        .set stub, 0
        .rept BLOCKS
        .long wirecost_function_slots + stub * 16 - .
        .balign 16, 0xcc
        .set stub, stub + 1
        .rept BLOCK_BYTES / 16 - 1
        .byte 0x68
        .long stub
        .byte 0xe9
        .long common_exit - . - 4
        .balign 16, 0xcc
        .set stub, stub + 1
        .endr
        .endr
stubs_end:
        .size wirecost_function_stubs, . - wirecost_function_stubs

        .bss
        .balign 4096
        .globl wirecost_function_slots
        .hidden wirecost_function_slots
        .type wirecost_function_slots, @object
wirecost_function_slots:
        .zero BLOCKS * BLOCK_BYTES
        .size wirecost_function_slots, . - wirecost_function_slots

// To the unwinder a stub is a frame without content: the stack pointer stays, the return address is
// saved in the slot. Its CFA is 8 above the stack pointer, because libgcc tells frames apart by it.
// The personality routine ends the section when an exception passes.
        .section .eh_frame, "a", @progbits
cie:
        .long cie_end - cie_content
cie_content:
        .long 0
        .byte 1
        .string "zPR"
        .uleb128 1
        .sleb128 -8
        .uleb128 16
        .uleb128 personality_end - personality
personality:
        .byte 0x1b                      // relative to here, 4 bytes, signed
        .long wirecost_function_personality - .
        .byte 0x1b
personality_end:
        .byte 0x0c; .uleb128 7; .uleb128 8      // DW_CFA_def_cfa rsp + 8
        .byte 0x16; .uleb128 7; .uleb128 2      // DW_CFA_val_expression rsp:
        .byte 0x77, 0x00                        //   DW_OP_breg7 0
        .byte 0x10; .uleb128 16; .uleb128 10    // DW_CFA_expression of the return address:
        .byte 0x80, 0x00                        //   DW_OP_breg16 0, the stub
        .byte 0x12                              //   DW_OP_dup
        .byte 0x0b, 0x00, 0xfc                  //   DW_OP_const2s -BLOCK_BYTES
        .byte 0x1a                              //   DW_OP_and, the block's first word:
        .byte 0x94, 0x04                        //   DW_OP_deref_size 4, distance to the slots
        .byte 0x22                              //   DW_OP_plus
        .balign 8, 0
cie_end:
        .long fde_end - fde_content
fde_content:
        .long fde_content - cie
        .long wirecost_function_stubs - .
        .long stubs_end - wirecost_function_stubs
        .uleb128 0
        .balign 8, 0
fde_end:

        .section .note.GNU-stack, "", @progbits
