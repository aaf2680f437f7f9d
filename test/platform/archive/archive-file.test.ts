import { expect, test } from 'bun:test'
import { checkCount } from '../../../src/platform/archive/archive-file.ts'

test('rejects an archive with more than 250,000 files', () => {
  checkCount(250_000)
  expect(() => checkCount(250_001)).toThrow('it holds over 250,000 files')
})
