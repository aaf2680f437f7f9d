import { expect, test } from 'bun:test'
import { notFoundLine, notFoundMark } from '../../../src/page/include/not-found.ts'

test('marks a missing file so that it can be found again', () => {
  const text = `a ${notFoundLine('x/y.rs')} b`
  expect([...text.matchAll(notFoundMark)].map(([, file]) => file)).toEqual(['x/y.rs'])
})
