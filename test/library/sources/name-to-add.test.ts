import { expect, test } from 'bun:test'
import {
  checkMayAdd,
  checkVisible,
  parseNameToAdd,
} from '../../../src/library/sources/name-to-add.ts'

test('splits a version off a name, but not off an address', () => {
  const check = (
    library: string,
    source: string | undefined,
    expected: [string, string | null],
  ) => {
    const named = parseNameToAdd({ library, source, version: null })
    expect([named.library, named.version]).toEqual(expected)
  }
  check('kettle@2.0', undefined, ['kettle', '2.0'])
  check('@pots/kettle', '', ['@pots/kettle', null])
  check('git@a.example:pots/kettle.git', '', ['git@a.example:pots/kettle.git', null])
  check('npm:kettle@2.0', undefined, ['npm:kettle@2.0', null])
  check('kettle@2.0', 'https://a.example/', ['kettle', '2.0'])
})

test('lets a key add permitted libraries from a given or listed source', async () => {
  const canSee = (library: string) => library.startsWith('open-')
  const view = { canSee, knownSources: async () => ['open-kit'] }
  const check = async (library: string, source: string | undefined, expected: string | null) => {
    const said = await checkMayAdd(view, { library, source }).then(
      () => null,
      (error: Error) => error.message,
    )
    expect(said).toBe(expected)
  }
  await check('Open-Kit', undefined, 'Cannot add "Open-Kit": this key may not have it')
  await check('open-KIT', undefined, null)
  await check('open-lid', '', 'Cannot add "open-lid": og knows no source with that name')
  await check('open-lid', 'https://a.example/', null)
  const refusal = 'Cannot add "vault@open-1": this key may not have it'
  await check('vault@open-1', 'https://a.example/', refusal)
  expect(() => checkVisible(canSee, { library: 'vault', command: 'update' })).toThrow(
    'Cannot update "vault"',
  )
})
