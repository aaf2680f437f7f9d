import { expect, test } from 'bun:test'
import { unreachableGap } from '../../../src/source/choice/choice.ts'

test('a gap names the host and keeps the source as it was named', () => {
  const intended = { kind: 'package', url: 'npm:heron', version: '1.2.0' } as const
  expect(unreachableGap('git.example', intended)).toEqual({
    reason: 'cannot reach git.example',
    host: 'git.example',
    intended,
  })
})
