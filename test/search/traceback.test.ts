import { expect, test } from 'bun:test'
import { messageOf } from '../../src/search/traceback.ts'

const python = `Traceback (most recent call last):
  File "/app/main.py", line 12, in <module>
    app.include_router(router)
    ^^^^^^^^^^^^^^^^^^^^^^^^^^
  File "/lib/fastapi/routing.py", line 60, in include_router
    raise FastAPIError(msg)
fastapi.exceptions.FastAPIError: Invalid args for response field!
Hint: check the type.
`

test('of Python the last line, and what follows it', () => {
  expect(messageOf(python)).toBe(
    'fastapi.exceptions.FastAPIError: Invalid args for response field!\nHint: check the type.')
  const chained = `${python}\nDuring handling of the above exception, another occurred:\n\n${
    python.replace('FastAPIError: Invalid', 'ValueError: Other')}`
  expect(messageOf(chained)).toStartWith('fastapi.exceptions.ValueError: Other')
})

test('of others the first line, or what caused it', () => {
  const node = 'TypeError: x is not a function\n    at f (/a.js:1:2)\n    at g (/a.js:3:4)'
  expect(messageOf(node)).toBe('TypeError: x is not a function')
  const java = 'java.lang.RuntimeException: outer\n\tat a.B.c(B.java:1)\n\tat a.B.d(B.java:2)\n'
    + 'Caused by: java.io.IOException: disk is full\n\tat a.B.e(B.java:3)\n\t... 2 more'
  expect(messageOf(java)).toBe('Caused by: java.io.IOException: disk is full')
  const go = 'panic: assignment to entry in nil map\n\ngoroutine 1 [running]:\nmain.main()\n'
    + '\t/tmp/a.go:5 +0x1d\n\t/tmp/b.go:6 +0x1e'
  expect(messageOf(go)).toStartWith('panic: assignment to entry in nil map')
})

test('what is no traceback stays', () => {
  for (const text of ['how do I read a traceback', 'a\n  at the door\nb', '', python.slice(0, 40)]) {
    expect(messageOf(text)).toBe(text)
  }
  const code = 'class A {\n  at = 1\n  at = 2\n}'
  expect(messageOf(code)).toBe(code)
})
