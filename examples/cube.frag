#version 450
/* A lit image with a highlight; cube.vert says how to run it. */
layout(location = 0) in vec2 uv;
layout(location = 1) in vec3 normal;
layout(location = 2) in vec3 place;
layout(location = 0) out vec4 color;
layout(binding = 0) uniform sampler2D image;

void main() {
  vec3 n = normalize(normal), light = normalize(vec3(1, 2, 3)), eye = normalize(vec3(0, 0, 4) - place);
  float diffuse = max(dot(n, light), 0), shine = pow(max(dot(n, normalize(light + eye)), 0), 16);
  vec2 tiles = uv * vec2(2, 4); /* each row of tiles is shifted by half an image */
  vec3 own = texture(image, vec2(tiles.x + 0.5 * floor(tiles.y), tiles.y)).rgb;
  color = vec4(own * (0.2 + 0.8 * diffuse) + 0.3 * shine, 1);
}
