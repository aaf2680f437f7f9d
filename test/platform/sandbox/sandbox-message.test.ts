import { expect, test } from 'bun:test'
import {
  toError,
  toRefusal,
  sandboxCommand,
} from '../../../src/platform/sandbox/sandbox-message.ts'
import { OgError } from '../../../src/platform/error.ts'
import { existsSync } from 'node:fs'

/** Returns an error as it arrives after being sent between processes. */
const sent = (error: unknown) => toError(structuredClone(toRefusal(error)))

test('keeps the class, code, reason and hint of an OgError', () => {
  const options = { code: 'not-text', reason: 'it is a picture', hint: 'leave it out' } as const
  const error = sent(new OgError('Cannot read page "a.png": it is a picture', options))
  expect(error).toBeInstanceOf(OgError)
  expect(error).toMatchObject({ message: 'Cannot read page "a.png": it is a picture', ...options })
})

test('adds no code or hint to an error without one', () => {
  const { code, hint, reason, message } = new OgError('Cannot count')
  expect(sent(new OgError('Cannot count'))).toMatchObject({ code, reason, message })
  expect((sent(new OgError('Cannot count')) as OgError).hint).toBe(hint)
})

test('keeps only the message of another error, and the text of other values', () => {
  for (const [error, message] of [
    [new TypeError('x is not a function'), 'x is not a function'],
    [Object.assign(new Error('of a cause'), { cause: () => {}, code: 'denied' }), 'of a cause'],
    ['only text', 'only text'],
  ] as const) {
    expect(sent(error)).toEqual(new Error(message))
    expect(sent(error)).not.toBeInstanceOf(OgError)
  }
})

test('runs the source file if og is not the compiled executable', () => {
  const [program, entry] = sandboxCommand()
  expect(program).toBe(process.execPath)
  expect(existsSync(entry!)).toBe(true)
})
