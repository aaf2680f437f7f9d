import { expect, test } from 'bun:test'
import {
  missingFileLine,
  missingFileMark,
  missingPartLine,
  missingPartPattern,
} from '../../src/document/not-found.ts'

test('reports missing files and missing parts with different marks', () => {
  const [file, part] = [missingFileLine('x/y (1).rs'), missingPartLine('x/y.rs')]
  const text = `a ${file} b ${part} c`
  expect(text.match(missingFileMark)).toEqual([file])
  expect(text.match(missingPartPattern)).toEqual([part])
})
