/** Tests which memory files the settings allow og to edit. */
import { expect, test } from 'bun:test'
import { createWorld } from '../../support/e2e.ts'

test('edits only the tiers in the setting, including today’s log', async () => {
  await using world = await createWorld()
  const own = { name: 'own.md' },
    fixed = { name: 'fixed.md', mutable: false }
  const env = {
    GROUNDMEMORY_EMBEDDING__PROVIDER: 'none',
    GROUNDMEMORY_CUSTOM_FILES: JSON.stringify([own, fixed]),
  }
  const files = ['MEMORY.md', 'daily', 'USER.md', 'AGENTS.md', 'own.md', 'fixed.md']
  for (const file of files) {
    await world.og(['memory', 'write', `A fact of ${file}.`, '-f', file], { env })
  }
  const today = (await world.json(['memory', 'read', 'daily', '--json'], { env })).file as string
  /** Restores each file, so that the next setting finds the same text. */
  async function editable(tiers: string | undefined): Promise<string[]> {
    const set = { env: { ...env, GROUNDMEMORY_MUTABLE_TIERS: tiers } }
    const found: string[] = []
    for (const file of [...files, today]) {
      const edit = (search: string, put: string) =>
        world.og(['memory', 'write', put, '-f', file, '--search', search], set)
      const { exitCode, stderr } = await edit('A fact', 'One fact')
      if (exitCode === 0) await edit('One fact', 'A fact')
      else expect(stderr).toMatch(/append-only|immutable/)
      if (exitCode === 0) found.push(file)
    }
    return found
  }
  expect(await editable(undefined)).toEqual(['USER.md', 'AGENTS.md', 'own.md'])
  expect(await editable('["MEMORY.md", "daily"]')).toEqual(['MEMORY.md', 'daily', 'own.md', today])
  expect(await editable('USER.md')).toEqual(['USER.md', 'own.md'])
})
