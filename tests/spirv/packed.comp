#version 450
#extension GL_EXT_shader_explicit_arithmetic_types : require
/* Memory without a layout: values of less than a word do not take a whole word, each number is at a multiple of its size, and vectors of
 * halves and bytes are at multiples of words. `tile` takes all the memory that a workgroup has.
; run: grid=1 table16=Y Y=u32[0; 12] => Y=u32[0x3C004000, 0x44004200, 3, 0x040302, 0xFFFFFFF9, 7, 0x04010203, 1, 10, 0x45004200, 0x4400, 6]
*/
struct Mixed {
  float16_t half_number;
  u8vec3 bytes;
  uint64_t wide;
  int8_t low;
  f16vec3 triples[2];
  bool truth;
};
layout(local_size_x = 2) in;
layout(std430, binding = 0) buffer Y { uint y[12]; };
shared f16vec4 tile[4076];
shared Mixed mixed[2];
shared uint8_t letters[16];
shared float16_t numbers[8];
shared i16vec2 pairs[4];
shared uint16_t shorts[16];
void main() {
  uint i = gl_LocalInvocationIndex, k = 1 - i;
  tile[i] = f16vec4(2, 1, 4, 3) * float16_t(1 + i);
  mixed[i].half_number = float16_t(i + 2);
  mixed[i].bytes = u8vec3(2, 3, 4);
  mixed[i].wide = 0xFFFFFFFF00000000ul + i;
  mixed[i].low = int8_t(i == 0 ? -7 : 7);
  mixed[i].triples[i] = f16vec3(3, 5, 4);
  mixed[i].truth = i == 0;
  letters[i] = uint8_t(i + 1);
  letters[k + 2] = uint8_t(3 + i);
  numbers[i + 2] = float16_t(6);
  pairs[i] = i16vec2(i, 5 * i);
  shorts[i + 3] = uint16_t(5 * i);
  Mixed own[2] = Mixed[](mixed[i], mixed[i]);
  own[k].low = int8_t(k);
  barrier();
  if (i == 0) {
    y[0] = packFloat2x16(tile[0].xy);
    y[1] = packFloat2x16(tile[k].wz / f16vec2(2, 2));
    y[2] = uint(mixed[k].half_number);
    y[3] = uint(mixed[k].bytes.x) | uint(mixed[k].bytes.y) << 8 | uint(mixed[k].bytes.z) << 16;
    y[4] = uint(int(mixed[i].low));
    y[5] = uint(int(mixed[k].low));
    y[6] = uint(letters[2]) << 24 | uint(letters[0]) << 16 | uint(letters[1]) << 8 | uint(letters[3]);
    y[7] = uint(mixed[k].wide);
    y[8] = uint(pairs[k].x + pairs[k].y) + uint(shorts[k + 3]) - uint(own[k].low);
    y[9] = packFloat2x16(mixed[k].triples[k].xy);
    y[10] = packFloat2x16(f16vec2(mixed[k].triples[k].z, 0));
    y[11] = uint(numbers[k + 2]);
  }
}
