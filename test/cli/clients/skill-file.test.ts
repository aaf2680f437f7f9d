import { expect, test } from 'bun:test'
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { clients, type Machine, findClient } from '../../../src/cli/clients/client.ts'
import { type ClientSetup, serverEntries } from '../../../src/cli/clients/install.ts'
import { configureSkill, skillPath } from '../../../src/cli/commands/server/install-mcp.ts'
import { skills } from '../../../src/mcp/skill.ts'
import { createTempFolder } from '../../../src/platform/file/files.ts'

const launch = { command: '/opt/og', args: ['mcp'] }
const skill = skills.documentation
const wish: ClientSetup & { skill: typeof skill } = {
  server: serverEntries.documentation,
  launch,
  scope: 'user',
  dryRun: false,
  skill,
}
const machineAt = (home: string): Machine => ({
  env: { HOME: home },
  platform: 'linux',
  cwd: join(home, 'project'),
})

test('installs, reinstalls without effect, and removes the skill of every client', async () => {
  for (const scope of ['user', 'project'] as const) {
    for (const client of clients) {
      await using temp = await createTempFolder('og-skills')
      const machine = machineAt(temp.path)
      const path = skillPath(client, machine, { skill, scope })
      const configure = (more: Partial<ClientSetup> = {}) =>
        configureSkill(client, machine, { ...wish, scope, ...more })
      if (path === null) {
        expect(await configure()).toBe(null)
        continue
      }
      expect(path).toStartWith(join(temp.path, scope === 'user' ? '.' : 'project'))
      expect(await configure({ dryRun: true })).toEqual({ path, change: 'added', backup: null })
      expect(existsSync(path)).toBe(false)
      expect(await configure()).toEqual({ path, change: 'added', backup: null })
      expect(readFileSync(path, 'utf8')).toBe(skill.text)
      expect(await configure()).toMatchObject({ change: 'none' })
      expect(await configure({ launch: null })).toMatchObject({ change: 'removed' })
      expect(existsSync(dirname(path))).toBe(false)
      expect(await configure({ launch: null })).toMatchObject({ change: 'none' })
    }
  }
})

test('backs up a skill file with other content', async () => {
  await using temp = await createTempFolder('og-skills')
  const machine = machineAt(temp.path)
  const client = findClient('claude-code')
  const path = join(temp.path, '.claude', 'skills', 'og-documentation', 'SKILL.md')
  mkdirSync(dirname(path), { recursive: true })
  writeFileSync(path, 'mine')
  const outcome = await configureSkill(client, machine, wish)
  expect(outcome).toEqual({ path, change: 'replaced', backup: `${path}.og-backup` })
  expect(readFileSync(`${path}.og-backup`, 'utf8')).toBe('mine')
  await configureSkill(client, machine, { ...wish, launch: null })
  expect([existsSync(path), existsSync(`${path}.og-backup`)]).toEqual([false, true])
})
