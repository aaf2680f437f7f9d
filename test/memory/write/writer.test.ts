import { expect, test } from 'bun:test'
import { changedMeanwhileError } from '../../../src/memory/write/write-lock.ts'
import { OgError } from '../../../src/platform/error.ts'

test('the error names the file, says that nothing changed, and suggests a remedy', () => {
  const error = changedMeanwhileError('USER.md')
  expect(error).toBeInstanceOf(OgError)
  expect(error.message).toBe('USER.md differs from the expected text; nothing was changed')
  expect(error.hint).toBe('read it again, then write')
})
