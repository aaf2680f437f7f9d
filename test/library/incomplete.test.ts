import { expect, test } from 'bun:test'
import { incompleteReason, renderIncompleteSource } from '../../src/library/incomplete.ts'

test('names the host that did not answer before the pages that failed', () => {
  const incomplete = { reason: 'cannot reach git.example', host: 'git.example' }
  expect(incompleteReason({ incomplete, failed: 2 })).toBe('cannot reach git.example')
  expect(incompleteReason({ failed: 2 })).toBe('2 pages could not be read')
  expect(incompleteReason({ failed: 0 })).toBeNull()
  expect(incompleteReason({})).toBeNull()
})

test('tells a person how to try again', () => {
  expect(
    renderIncompleteSource({ library: 'my kit', incomplete: 'cannot reach git.example' }),
  ).toBe(`incomplete: cannot reach git.example; "og update 'my kit'" tries again`)
})
