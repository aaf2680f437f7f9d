import { expect, test } from 'bun:test'
import { removeStackFrames } from '../../src/search/traceback.ts'

const python = `Traceback (most recent call last):
  File "/app/main.py", line 12, in <module>
    app.include_router(router)
    ^^^^^^^^^^^^^^^^^^^^^^^^^^
  File "/lib/fastapi/routing.py", line 60, in include_router
    raise FastAPIError(msg)
fastapi.exceptions.FastAPIError: Invalid args for response field!
Hint: check the type.
`

test('keeps the last line of a Python traceback and the lines after it', () => {
  expect(removeStackFrames(python)).toBe(
    'fastapi.exceptions.FastAPIError: Invalid args for response field!\nHint: check the type.',
  )
  const later = python.replace('FastAPIError: Invalid', 'ValueError: Other')
  const between = '\nDuring handling of the above exception, another occurred:\n\n'
  const chained = `${python}${between}${later}`
  expect(removeStackFrames(chained)).toStartWith('fastapi.exceptions.ValueError: Other')
})

test('keeps the first line of other tracebacks, or their cause', () => {
  const node = 'TypeError: x is not a function\n    at f (/a.js:1:2)\n    at g (/a.js:3:4)'
  expect(removeStackFrames(node)).toBe('TypeError: x is not a function')
  const java =
    'java.lang.RuntimeException: outer\n\tat a.B.c(B.java:1)\n\tat a.B.d(B.java:2)\n' +
    'Caused by: java.io.IOException: disk is full\n\tat a.B.e(B.java:3)\n\t... 2 more'
  expect(removeStackFrames(java)).toBe('Caused by: java.io.IOException: disk is full')
  const go =
    'panic: assignment to entry in nil map\n\ngoroutine 1 [running]:\nmain.main()\n' +
    '\t/tmp/a.go:5 +0x1d\n\t/tmp/b.go:6 +0x1e'
  expect(removeStackFrames(go)).toStartWith('panic: assignment to entry in nil map')
})

test('handles long tracebacks and Windows line endings', () => {
  const deep = python.replace(
    '  File',
    '  File "/app/deep.py", line 1, in f\n    f()\n'.repeat(3000) + '  File',
  )
  expect(removeStackFrames(deep)).toStartWith('fastapi.exceptions.FastAPIError')
  const java =
    'java.io.IOException: disk is full\r\n\tat a.B.c(B.java:1)\r\n\tat a.B.d(B.java:2)\r\n'
  expect(removeStackFrames(java)).toBe('java.io.IOException: disk is full')
})

test('returns texts without a traceback unchanged', () => {
  for (const text of [
    'how do I read a traceback',
    'a\n  at the door\nb',
    '',
    python.slice(0, 40),
  ]) {
    expect(removeStackFrames(text)).toBe(text)
  }
  const code = 'class A {\n  at = 1\n  at = 2\n}'
  expect(removeStackFrames(code)).toBe(code)
})
