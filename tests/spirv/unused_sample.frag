#version 450
/* A shader that reads its sample number runs once for each sample, even if nothing depends on it after optimization: the invocations are
   counted, and coordinates are those of the sample.
; run: draw=fragments(2x1, samples:4) Log=u32[0, 0, 0] color=image(r32float, 2x1, samples:4) => Log=u32[8, 8, 8]
*/
layout(location = 0) out float color;
layout(set = 0, binding = 0) buffer Log {
  uint invocations, off_center, zeros;
};
void main() {
  int sample_number = gl_SampleID;
  atomicAdd(invocations, 1u);
  atomicAdd(off_center, fract(gl_FragCoord.x) != 0.5 ? 1u : 0u);
  atomicAdd(zeros, uint(sample_number * 0 + 1));
  color = 1.0;
}
