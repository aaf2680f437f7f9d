import { expect, test } from 'bun:test'
import { incompleteReason, renderIncompleteSource } from '../../src/library/incomplete.ts'

test('reports an unreachable host rather than failed pages', () => {
  const incomplete = { reason: 'cannot reach git.example', host: 'git.example' }
  expect(incompleteReason({ incomplete, failed: 2 })).toBe('cannot reach git.example')
  expect(incompleteReason({ failed: 2 })).toBe('2 pages could not be read')
  expect(incompleteReason({ failed: 0 })).toBeNull()
  expect(incompleteReason({})).toBeNull()
})

test('suggests the command that tries again', () => {
  expect(
    renderIncompleteSource({ library: 'my kit', incomplete: 'cannot reach git.example' }),
  ).toBe(`incomplete: cannot reach git.example; "og update 'my kit'" tries again`)
})

test('says that a package is complete without its repository', () => {
  const gap = { library: 'kit', incomplete: 'cannot reach git.example', missingHost: 'git.example' }
  expect(renderIncompleteSource(gap)).toBe(
    'note: cannot reach git.example, so only the package was read; "og update kit" adds the rest',
  )
})
