import { expect, test } from 'bun:test'
import { maskMacros } from '../../../src/api/grammar/c-macros.ts'
import { cpuMs } from '../../support/pages/cpu-time.ts'

/** Compares the masked text without repeated blanks; offsets must stay the same. */
function check(text: string, expected: string) {
  const masked = maskMacros(text)
  expect(masked.length).toBe(text.length)
  expect(masked.replace(/\s+/g, ' ').trim()).toBe(expected)
}

test('blanks attributes, and keeps types in capitals', () => {
  check('API int CALL f(int a) PURE;', 'int f(int a) ;')
  check('API const char *f(void);', 'const char *f(void);')
  check('FILE *f(void);', 'FILE *f(void);')
  check('EXPORT UINT f(void);', 'UINT f(void);')
  check('visible lamp_t *f(void);', 'lamp_t *f(void);')
  check('unsigned long f(void) __attribute__((pure));', 'unsigned long f(void) ;')
})

test('opens macros around types, parameters and declarations', () => {
  check('EXTERN(struct a *) f ARGS((int b));', 'struct a * f (int b) ;')
  check('EXPORT(1, int, f, (int a, int b));', 'int f (int a, int b);;')
  check('EXPORT_FIXED(2, int, f, (int a))\nint g(void);', 'int f (int a); int g(void);')
  check('DECLARE(x)\nint g(void);', 'int g(void);')
})

test('keeps comments, and both branches of a condition', () => {
  check(
    '/* API int x; */\n#if A\nint f(void);\n#else\nint g(void);\n#endif',
    '/* API int x; */ int f(void); int g(void);',
  )
  check(
    '#ifdef __cplusplus\nextern "C" {\n#else\nint f(void);\n#endif\nint g(void);',
    'int f(void); int g(void);',
  )
})

test('masks long text without repeated searches', () => {
  for (const part of ['(', 'A(', 'A ', '/*\na b(', '#if 0\n', '{;', "'", '"', 'EXPORT(1, ']) {
    expect(cpuMs(() => maskMacros(part.repeat(200_000)))).toBeLessThan(3000)
  }
})
