/* Integers of 128 bits, which hold sums and products of 64-bit numbers exactly. */
#ifndef NORN_IR_NUMERIC_WIDE_H
#define NORN_IR_NUMERIC_WIDE_H

__extension__ typedef unsigned __int128 Wide;
__extension__ typedef __int128 SignedWide;

#endif
