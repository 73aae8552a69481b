/* The pictures of the GLSL examples, computed differently: the Mandelbrot set with this machine's
 * floats, which must agree in every byte; the cube with rays through a box, in double, where texels
 * and edges may differ by rounding.
 *
 *   reference mandelbrot|cube FILE      FILE holds 256x256 texels of four bytes */
#include <glib.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#define SIDE 256
#define BYTES (SIDE * SIDE * 4)

static void
mandelbrot(guint x, guint y, guint8 texel[4]) {
  volatile float cx = ((gint)x - SIDE / 2) * 0.01f, cy = ((gint)y - SIDE / 2) * 0.01f;
  volatile float zx = 0, zy = 0;
  guint steps = 0;
  cx = -0.5f + cx;
  for (; steps < 100; steps++) {
    volatile float xx = zx * zx, yy = zy * zy, twice = 2 * zx, difference = xx - yy;
    if (xx + yy > 4)
      break;
    twice = twice * zy;
    zx = difference + cx;
    zy = twice + cy;
  }
  texel[0] = (guint8)(steps == 100 ? 0 : steps * 4);
  texel[1] = (guint8)(steps == 100 ? 0 : steps * 10);
  texel[2] = (guint8)(steps == 100 ? 0 : 64 + steps * 17);
  texel[3] = 255;
}

static double
dot(const double a[3], const double b[3]) {
  return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

static void
normalize(double a[3]) {
  double length = sqrt(dot(a, a));
  for (guint i = 0; i < 3; i++)
    a[i] /= length;
}

/* Row i of the matrix that rotates the cube. */
static void
turn_row(guint i, double row[3]) {
  double s = sin(0.7), c = cos(0.7);
  const double about_x[3][3] = {{1, 0, 0}, {0, 0.8, -0.6}, {0, 0.6, 0.8}};
  const double about_y[3][3] = {{c, 0, s}, {0, 1, 0}, {-s, 0, c}};
  for (guint k = 0; k < 3; k++)
    row[k] = about_x[i][0] * about_y[0][k] + about_x[i][1] * about_y[1][k] +
             about_x[i][2] * about_y[2][k];
}

/* Where the ray enters the box: the distance, and through which axis; negative if it misses the
 * box. */
static double
enter(const double from[3], const double along[3], guint *axis) {
  double nearest = -1, farthest = 1e9;
  for (guint i = 0; i < 3; i++) {
    double a = (-1 - from[i]) / along[i], b = (1 - from[i]) / along[i];
    if (MIN(a, b) > nearest) {
      nearest = MIN(a, b);
      *axis = i;
    }
    farthest = MIN(farthest, MAX(a, b));
  }
  return nearest < farthest ? nearest : -1;
}

static void
shade(const double normal[3], const double place[3], gboolean is_red, guint8 texel[4]) {
  static const double colors[2][3] = {{1, 1, 1}, {220 / 255.0, 60 / 255.0, 20 / 255.0}};
  double light[3] = {1, 2, 3}, eye[3] = {-place[0], -place[1], 4 - place[2]}, half[3];
  normalize(light);
  normalize(eye);
  for (guint i = 0; i < 3; i++)
    half[i] = light[i] + eye[i];
  normalize(half);
  double diffuse = MAX(dot(normal, light), 0), shine = pow(MAX(dot(normal, half), 0), 16);
  for (guint i = 0; i < 3; i++)
    texel[i] =
        (guint8)(CLAMP(colors[is_red][i] * (0.2 + 0.8 * diffuse) + 0.3 * shine, 0, 1) * 255 + 0.5);
  texel[3] = 255;
}

static void
cube(guint x, guint y, guint8 texel[4]) {
  double ray[3] = {((x + 0.5) / SIDE * 2 - 1) / 1.8, -((y + 0.5) / SIDE * 2 - 1) / 1.8, -1};
  double from[3] = {0}, along[3] = {0}, rows[3][3], normal[3], place[3];
  guint axis = 0;
  for (guint i = 0; i < 3; i++) {
    turn_row(i, rows[i]);
    for (guint k = 0; k < 3; k++) {
      from[k] += rows[i][k] * (i == 2 ? 4 : 0);
      along[k] += rows[i][k] * ray[i];
    }
  }
  double distance = enter(from, along, &axis);
  memset(texel, 0, 4);
  if (distance < 0)
    return;
  double side = along[axis] < 0 ? 1 : -1, corner[3];
  for (guint i = 0; i < 3; i++) {
    corner[i] = from[i] + distance * along[i];
    normal[i] = rows[i][axis] * side;
    place[i] = distance * ray[i] + (i == 2 ? 4 : 0);
  }
  double u = (corner[(axis + 1) % 3] + 1) / 2 * 2, v = (corner[(axis + 2) % 3] + 1) / 2 * 4;
  double s = u + 0.5 * floor(v);
  shade(normal, place, s - floor(s) >= 0.5, texel);
}

int
main(int argc, char **argv) {
  g_autofree char *bytes = NULL;
  gsize size = 0;
  if (argc != 3 || !g_file_get_contents(argv[2], &bytes, &size, NULL) || size != BYTES) {
    fprintf(stderr, "expected: reference mandelbrot|cube FILE, of %d bytes\n", BYTES);
    return 2;
  }
  gboolean is_cube = !strcmp(argv[1], "cube");
  guint differ = 0, seen = 0;
  for (guint i = 0; i < SIDE * SIDE; i++) {
    guint8 expected[4];
    const guint8 *actual = (const guint8 *)bytes + 4 * i;
    (is_cube ? cube : mandelbrot)(i % SIDE, i / SIDE, expected);
    gboolean same = TRUE;
    for (guint k = 0; k < 4; k++)
      same = same && abs(actual[k] - expected[k]) <= (is_cube ? 2 : 0);
    differ += !same;
    seen += actual[3] == 255 && (actual[0] | actual[1] | actual[2]);
  }
  printf("%s: %u texels differ, %u are not black\n", argv[1], differ, seen);
  /* On edges of tiles and of the cube, a pixel may belong to either side. */
  return differ > (is_cube ? 40 : 0) || seen < 8000;
}
