/** Tests a memory with relations, and a missing one, with dist/og. */
import { expect, test } from 'bun:test'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { createWorld } from '../../support/e2e.ts'
import { homePaths } from '../../support/run/home-paths.ts'

const env = { GROUNDMEMORY_EMBEDDING__PROVIDER: 'none' }

test('the index matches the files after each relation and after a repair', async () => {
  await using world = await createWorld()
  const relate = (subject: string) =>
    world.og(['memory', 'relate', subject, 'knows', 'Bob'], { env })
  const doctor = async (...more: string[]) =>
    expect(await world.og(['memory', 'doctor', ...more], { env })).toMatchObject({ exitCode: 0 })
  for (const name of ['Ann', 'Carl']) await relate(name)
  await doctor()
  await doctor('--repair')
  for (const name of ['Dora', 'Emil']) await relate(name)
  await doctor()
  const search = ['memory', 'search', 'Dora', '--json']
  const { results } = await world.json(search, { env })
  await relate('Fred')
  expect((await world.json(search, { env })).results[0].entry_id).toBe(results[0].entry_id)
})

test('rejects a workspace that does not exist, and suggests the nearest name', async () => {
  await using world = await createWorld()
  await world.og(['memory', 'write', 'A fact.', '-w', 'work'], { env })
  const root = join(world.env.HOME!, homePaths.memory)
  for (const args of [
    ['search', 'fact'],
    ['read', 'MEMORY.md'],
    ['list'],
    ['bootstrap'],
    ['undo'],
    ['relations'],
    ['history'],
    ['sync'],
    ['audit'],
    ['backup'],
    ['relate', 'Ann', '--end'],
  ]) {
    await world.check(
      ['memory', ...args, '-w', 'wrok'],
      {
        exitCode: 2,
        stderr:
          'error: There is no workspace "wrok" in DIR/home/.local/share/og/memory\n' +
          'hint: did you mean "work"?\n',
      },
      { env },
    )
  }
  expect(existsSync(join(root, 'wrok'))).toBe(false)
  await world.check(
    ['memory', 'write', 'A fact.', '-w', 'new'],
    { stdout: /^Added /, stderr: /^New memory: / },
    { env },
  )
})

test('unknown words find no entry, and a paraphrase finds its entry', async () => {
  await using world = await createWorld({ embeddings: true })
  await world.og(['memory', 'write', 'The build server is called Grizzly and lives in rack 4'])
  await world.og(['memory', 'write', 'We chose sqlite since deployments are single node'])
  const search = (query: string) => world.json(['memory', 'search', query, '--json'])
  const unknown = await search('quantum banana')
  expect([unknown.confidence, unknown.count]).toEqual(['weak', 2])
  const shown = await world.og(['memory', 'search', 'quantum banana'])
  expect(shown).toMatchObject({ exitCode: 0 })
  expect(shown.stdout).toStartWith('No passage is clearly about this; nearest:\n1. MEMORY.md:')
  expect((await search('which database did we pick')).results[0].text).toContain('sqlite')
})
