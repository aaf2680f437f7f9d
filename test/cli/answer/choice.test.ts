import { expect, test } from 'bun:test'
import { choiceJson, renderChoice, type DryAdd } from '../../../src/cli/answer/choice.ts'

const dry: DryAdd = {
  library: 'lamp',
  version: '1.2.0',
  source: { kind: 'git_repo', url: 'https://x.example/lamp.git', docsPaths: ['docs', 'README.md'] },
  ref: null,
  commit: null,
  how: null,
  rejected: [{ place: 'https://x.example/', reason: 'server answered 404' }],
  replaces: 'lamp 1.2.0',
}

test('shows the chosen source, the rejected ones and the command of a dry run', () => {
  expect(renderChoice(dry)).toBe(
    [
      'lamp 1.2.0: nothing is indexed, this is a dry run',
      '  source   https://x.example/lamp.git',
      '  paths    docs, README.md',
      '  passed   https://x.example/: server answered 404',
      '  replaces lamp 1.2.0',
      '  command  og add lamp -s https://x.example/lamp.git -v 1.2.0 -d docs -d README.md',
      '',
    ].join('\n'),
  )
})

test('prints the same as JSON with a fixed set of keys', () => {
  expect(Object.keys(choiceJson({ ...dry, other: 1 } as DryAdd))).toEqual([
    'library',
    'version',
    'source',
    'commit',
    'found',
    'passed',
    'replaces',
    'incomplete',
    'command',
  ])
  const incomplete = { reason: 'cannot reach x.example', host: 'x.example' }
  expect(choiceJson({ ...dry, incomplete }).incomplete).toBe('cannot reach x.example')
  expect(renderChoice({ ...dry, incomplete })).toContain('\n  lacking  cannot reach x.example\n')
})
