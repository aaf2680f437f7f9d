import { expect, test } from 'bun:test'
import { existsSync } from 'node:fs'
import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { memoryHome } from '../../../support/memory/memory-home.ts'

const { check, file, folder, home, json } = memoryHome()

test('prints the same lines as upstream for sync, backup, list-backups and restore', async () => {
  await check(
    ['list-backups'],
    'No backups found for workspace: HOME/.local/share/og/memory/default\n',
  )
  await check(['restore', '-1'], '', {
    code: 1,
    stderr: /^error: No backups found for workspace: /,
  })
  await json(['write', 'before'])
  await check(
    ['sync'],
    "Sync complete for workspace 'default':\n  indexed:  4\n  skipped:  0\n  deleted:  0\n",
  )
  await check(
    ['backup'],
    'Backup created: BACKUP\n  → HOME/.local/share/og/memory/default/backups/BACKUP.zip\n',
  )
  await json(['write', 'after'])
  await json(['backup'])
  await check(['list-backups'], "Backups for workspace 'default':\n  -1  BACKUP\n  -2  BACKUP\n")
  await check(['restore', '-2'], '', { code: 2, stderr: /hint: pass --yes/ })
  const asked = 'Restoring backup: BACKUP\n  → workspace: HOME/.local/share/og/memory/default\n\n'
  const tty = { tty: true, env: { NO_COLOR: '1' } }
  await check(['restore', '-2'], `${asked}Aborted.\n`, {
    ...tty,
    stdin: 'n\n',
    stderr: 'Proceed? [y/N] ',
  })
  expect(file('MEMORY.md')).toContain('after')
  await check(
    ['restore', '-2', '--yes'],
    `${asked}\nRestored successfully from 'BACKUP'.\n` +
      'If an MCP server is running against this workspace, restart it.\n',
    { stderr: 'The previous files are in backup BACKUP.\n' },
  )
  expect(file('MEMORY.md')).not.toContain('after')
  await check(['restore', '2'], '', {
    code: 1,
    stderr: /^error: Ambiguous spec '2' matches 2 backups\. Spec/,
  })
  await check(['restore', '-0'], '', { code: 1, stderr: /^error: No backup found matching '-0'\./ })
  await check(['restore', '-99', '-y'], '', { code: 1, stderr: /No backup found matching '-99'/ })
})

test('exports and imports a workspace or a backup, and keeps existing files', async () => {
  const zip = join(home.path, 'm.zip')
  await json(['write', 'carried'])
  await json(['backup'])
  await json(['write', 'later'])
  await check(['export', zip], 'Exported 5 files to HOME/m.zip\n')
  await check(['export', zip], '', { code: 2, stderr: /it exists\nhint: --force/ })
  await check(['export', zip, '--force', '--backup', '2'], 'Exported 5 files to HOME/m.zip\n')
  await check(
    ['import', zip, '-w', 'two'],
    'Imported 5 files into HOME/.local/share/og/memory/two\n',
  )
  const { results } = await json(['search', 'carried later', '-w', 'two'])
  expect(results).toHaveLength(1)
  await check(['import', folder(), '-w', 'two'], '', {
    code: 2,
    stderr: /it is not empty\nhint: --workspace NAME /,
  })
  await check(['import', folder(), '-w', 'two', '--replace'], /^Imported 5 files/, {
    stderr: 'The previous files are in backup BACKUP.\n',
  })
  expect((await json(['search', 'later', '-w', 'two'])).count).toBe(1)
  expect(await json(['list', '--workspaces'])).toMatchObject({ workspaces: ['default', 'two'] })
  await check(['import', '/nowhere', '-w', 'x'], '', {
    code: 2,
    stderr: /Cannot read \/nowhere: no such file/,
  })
})

test('prints only JSON to stdout with --json', async () => {
  await json(['write', 'before'])
  const { name, path } = await json(['backup'])
  expect(await json(['list-backups'])).toMatchObject([{ spec: '-1', name, path }])
  const { stdout } = await home.run(['memory', 'restore', '-1', '--yes', '--json'])
  expect(JSON.parse(stdout)).toMatchObject({ backup: expect.any(String) })
  expect(await json(['export', join(home.path, 'a.zip')])).toMatchObject({ files: 5 })
  expect(await json(['import', join(home.path, 'a.zip'), '-w', 'two'])).toMatchObject({ files: 5 })
})

test('reports a path to which the archive cannot be written', async () => {
  for (const [verb, name] of [
    ['export', 'to'],
    ['import', 'from'],
  ] as const) {
    const stderr = new RegExp(`^error: Cannot use "foo" for ${name}: must be one of mcp-memory, `)
    await check([verb, 'x', `--${name}`, 'foo'], '', { code: 2, stderr })
  }
  await check(['export', '/nowhere/m.zip'], '', {
    code: 2,
    stderr: /^error: Cannot write \/nowhere/,
  })
})

test('removes unfinished folders of exports that were killed, and no folder of the user', async () => {
  await json(['write', 'before'])
  const ended = Bun.spawn(['true'])
  await ended.exited
  const notes = join(home.path, 'notes')
  const unfinished = (pid: number) => join(home.path, `.notes.og-export-${pid}`)
  const [abandoned, running] = [unfinished(ended.pid), unfinished(process.ppid)]
  const own = `${notes}.new-${ended.pid}`
  for (const path of [abandoned, running, own]) await mkdir(path)
  await check(['export', notes, '--to', 'basic-memory'], /^Exported 1 note and 0 relations/)
  expect(existsSync(abandoned)).toBe(false)
  expect(existsSync(running)).toBe(true)
  expect(existsSync(own)).toBe(true)
})
