import { expect, test } from 'bun:test'
import { checkFileCount } from '../../../src/platform/archive/archive-bytes.ts'

test('rejects an archive with more than 250,000 files', () => {
  checkFileCount(250_000)
  expect(() => checkFileCount(250_001)).toThrow('it holds over 250,000 files')
})
