import { expect, test } from 'bun:test'
import { unreachableGap } from '../../../src/source/choice/choice.ts'

test('records the host and the intended source of a gap', () => {
  const intended = { kind: 'package', url: 'npm:heron', version: '1.2.0' } as const
  expect(unreachableGap('git.example', intended)).toEqual({
    reason: 'cannot reach git.example',
    host: 'git.example',
    intended,
  })
})
