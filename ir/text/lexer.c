/* The lexical level of the IR's text; see ir/text/lexer.h. */
#include "ir/text/lexer.h"
#include <string.h>

#define W NORN_CHAR_WORD
#define D (NORN_CHAR_WORD | NORN_CHAR_DIGIT)
#define B NORN_CHAR_BLANK

const uint8_t norn_char_class[256] = {
    ['\t'] = B, ['\r'] = B, [' '] = B, ['.'] = NORN_CHAR_DOT,
    ['0'] = D,  ['1'] = D,  ['2'] = D, ['3'] = D,
    ['4'] = D,  ['5'] = D,  ['6'] = D, ['7'] = D,
    ['8'] = D,  ['9'] = D,  ['_'] = W, ['a'] = W,
    ['b'] = W,  ['c'] = W,  ['d'] = W, ['e'] = W,
    ['f'] = W,  ['g'] = W,  ['h'] = W, ['i'] = W,
    ['j'] = W,  ['k'] = W,  ['l'] = W, ['m'] = W,
    ['n'] = W,  ['o'] = W,  ['p'] = W, ['q'] = W,
    ['r'] = W,  ['s'] = W,  ['t'] = W, ['u'] = W,
    ['v'] = W,  ['w'] = W,  ['x'] = W, ['y'] = W,
    ['z'] = W,  ['A'] = W,  ['B'] = W, ['C'] = W,
    ['D'] = W,  ['E'] = W,  ['F'] = W, ['G'] = W,
    ['H'] = W,  ['I'] = W,  ['J'] = W, ['K'] = W,
    ['L'] = W,  ['M'] = W,  ['N'] = W, ['O'] = W,
    ['P'] = W,  ['Q'] = W,  ['R'] = W, ['S'] = W,
    ['T'] = W,  ['U'] = W,  ['V'] = W, ['W'] = W,
    ['X'] = W,  ['Y'] = W,  ['Z'] = W,
};

void
norn_skip_line(NornLexer *lexer) {
  if (lexer->at < lexer->end)
    lexer->at = memchr(lexer->at, '\n', (size_t)(lexer->end - lexer->at));
}

NornText
norn_offending(const NornLexer *lexer) {
  NornLexer copy = *lexer;
  NornText text = norn_take(&copy, NORN_CHAR_WORD | NORN_CHAR_DOT);
  if (!text.length)
    text.length = 1;
  return text;
}
