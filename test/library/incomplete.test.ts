import { expect, test } from 'bun:test'
import { gapReason, renderGap } from '../../src/library/incomplete.ts'

test('names the host that did not answer before the pages that failed', () => {
  const incomplete = { reason: 'cannot reach git.example', host: 'git.example' }
  expect(gapReason({ incomplete, failed: 2 })).toBe('cannot reach git.example')
  expect(gapReason({ failed: 2 })).toBe('2 pages could not be read')
  expect(gapReason({ failed: 0 })).toBeNull()
  expect(gapReason({})).toBeNull()
})

test('tells a person how to try again', () => {
  expect(renderGap({ library: 'my kit', incomplete: 'cannot reach git.example' })).toBe(
    `incomplete: cannot reach git.example; "og update 'my kit'" tries again`,
  )
})
