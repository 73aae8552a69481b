#version 450
#extension GL_EXT_shader_explicit_arithmetic_types : require
/* Conversions between sizes, packing and unpacking, sums with carries, classification.
; run: grid=1 table16=X,Y X=i32[7, -3, 0x12345678, 0x9ABCDEF0, 0x40B00000, 0xC0100000, 0x7FC00000, 0x7F800000] Y=i32[0; 48] => \
;   Y=i32[0, 1, 1, 0, 1, 0, 120, 0xdef0, -16, 0x9abcdef, -1, 0x41300000, -3, 8, 0x5678, 0x9abc, 0xdef09abc, 18, 0x78563412, 0x7856, 222, 0xc0804580, 0x3579bde0, 1, \
;   0x77777788, 1, 0x88888878, 0, 0xb00ea4e, 0x242d2080, 0xffffffff, 0xc962fc98, 1, 0, 0, 0, 0xbfa00000, -1, 104, -17, 0x12000778, 0xe0000000, 13, 1, 4, 0x40000000, -7, 5]
*/
layout(local_size_x = 1) in;
layout(std430, binding = 0) readonly buffer X { int x[4]; float f[4]; };
layout(std430, binding = 1) buffer Y { int y[]; };
int n = 0;
void put(int v) { y[n++] = v; }
void put(uint v) { y[n++] = int(v); }
void put(bool v) { y[n++] = int(v); }
void put(float v) { y[n++] = floatBitsToInt(v); }
void main() {
  bool less = x[0] < x[1], more = x[0] > x[1];
  put(less == more);                     /* 0 */
  put(less == (x[1] > x[0]));            /* 1 */
  put(isnan(f[2]));                      /* 1 */
  put(isnan(f[0]));                      /* 0 */
  put(isinf(f[3]));                      /* 1 */
  put(isinf(f[1]));                      /* 0 */
  put(int(uint8_t(x[2])));               /* 0x78 */
  put(int(uint16_t(x[3])));              /* 0xDEF0 */
  put(int(int8_t(x[3])));                /* -16 */
  put(int(uint64_t(uint(x[3])) >> 4));   /* 0x09ABCDEF */
  put(int((int64_t(x[1]) * 2) >> 33));   /* -1 */
  put(float(float16_t(f[0]) * float16_t(2))); /* 11.0 */
  int64_t pair = packInt2x32(ivec2(x[0], x[1]));
  put(int(pair >> 32));                  /* -3 */
  put(unpackInt2x32(pair + 1).x);        /* 8 */
  u16vec4 quarters = unpackUint4x16(packUint2x32(uvec2(x[2], x[3])));
  put(int(quarters.x));                  /* 0x5678 */
  put(int(quarters.w));                  /* 0x9ABC */
  put(unpack32(pack64(quarters.wzyx)).x); /* 0xDEF09ABC */
  u8vec4 bytes = unpack8(uint(x[2]));
  put(int(bytes.w));                     /* 0x12 */
  put(pack32(bytes.wzyx));               /* 0x78563412 */
  put(int(pack16(bytes.yx)));            /* 0x7856 */
  put(int(unpack8(uint16_t(x[3])).y));   /* 0xDE */
  put(packFloat2x16(f16vec2(f[0], f[1]))); /* 0xC0804580 */
  uint high, low;
  put(uaddCarry(uint(x[3]), uint(x[3]), high)); /* 0x3579BDE0 */
  put(high);                             /* 1 */
  put(usubBorrow(uint(x[2]), uint(x[3]), high)); /* 0x77777788 */
  put(high);                             /* 1 */
  put(usubBorrow(uint(x[3]), uint(x[2]), high)); /* 0x88888878 */
  put(high);                             /* 0 */
  umulExtended(uint(x[2]), uint(x[3]), high, low);
  put(high);
  put(low);
  int top, bottom;
  imulExtended(x[1], x[2], top, bottom);
  put(top);
  put(bottom);
  bvec3 signs = lessThan(ivec3(x[0], x[1], x[2]), ivec3(0));
  put(any(signs));                       /* 1 */
  put(all(signs));                       /* 0 */
  put(all(not(signs)));                  /* 0 */
  put(any(equal(ivec2(x[0], x[1]), ivec2(x[1], x[0])))); /* 0 */
  put(mod(f[0], f[1]));                  /* -1.25 */
  put(int(f[0]) / x[1]);                 /* -1 */
  put(uint(x[3]) % 1000u);
  put(bitfieldExtract(x[3], 4, 8));      /* 0xEF sign extended: -17 */
  put(bitfieldInsert(x[2], x[0], 8, 16)); /* 0x12000778 */
  put(bitfieldReverse(x[0]));            /* 0xE0000000 */
  put(bitCount(x[2]));                   /* 13 */
  put(findMSB(x[1]));                    /* 1 */
  put(findLSB(x[3]));                    /* 4 */
  put(uint(f[0]) << 30);                 /* 0x40000000 */
  put(x[3] >> 28);                       /* -7 */
  put(~x[0] ^ (x[1] | 16));
}
