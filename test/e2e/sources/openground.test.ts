import { expect, test } from 'bun:test'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { parse as parseToml } from 'smol-toml'
import { clients } from '../../../src/cli/clients/client.ts'
import { createWorld } from '../../support/e2e.ts'
import { commit, writeFiles } from '../../support/repository.ts'

test('installs this executable in agents, and keeps their other settings', async () => {
  await using world = await createWorld()
  const og = join(world.folder, 'bin', 'og')
  const home = join(world.folder, 'home')
  const launch = { command: og, args: ['mcp'] }
  writeFiles(home, {
    '.cursor/mcp.json': '{\n  // mine\n  "mcpServers": { "openground": { "command": "x" } }\n}\n',
    '.codex/config.toml': '# mine\nmodel = "m"\n',
  })
  const flags = clients.map(({ name }) => `--${name}`)
  const done = await world.json(['install-mcp', ...flags, '--json'])
  expect(done).toHaveLength(clients.length)
  for (const client of clients) {
    const { path } = done.find((it: { client: string }) => it.client === client.name)
    const text = readFileSync(path, 'utf8')
    const content = client.format === 'toml' ? parseToml(text) : Bun.JSONC.parse(text)
    expect(content).toMatchObject({ [client.section]: { og: client.entry(launch) } })
    expect(text).not.toContain('openground')
  }
  expect(readFileSync(join(home, '.cursor/mcp.json'), 'utf8')).toContain('// mine')
  expect(readFileSync(join(home, '.codex/config.toml'), 'utf8')).toStartWith(
    '# mine\nmodel = "m"\n',
  )
  const printed = await world.og(['install-mcp'])
  expect(JSON.parse(printed.stdout)).toEqual({ mcpServers: { og: launch } })
  const again = await world.json(['install-mcp', ...flags, '--json'])
  expect(new Set(again.map((it: { change: string }) => it.change))).toEqual(new Set(['none']))
})

test('extracts, embeds, queries, counts and clears without network access', async () => {
  await using world = await createWorld()
  const repository = join(world.folder, 'repository')
  commit(repository, { 'docs/a.md': '# Kettle\n\nBoils water.', 'docs/b.md': '# Cup\n\nHolds it.' })
  const raw = join(world.folder, 'home/.local/share/openground/raw_data')
  writeFiles(raw, {
    'react/v1/a.json': '{"url": "u:a", "library_name": "React", "content": "# Hooks"}',
  })
  await world.check(['extract-git', '-r', `file://${repository}`, '-d', 'docs', '-l', 'Kettle'], {
    stdout:
      'Kettle latest: 2 pages, 0 skipped, 0 failed\n  in ' +
      'DIR/home/.local/share/openground/raw_data/kettle/latest\n',
  })
  await world.check(['list-raw-libraries'], {
    stdout: 'Available libraries in raw_data:\nKettle: latest\nReact: v1\n',
  })
  await world.check(['embed', 'kettle'], { stdout: /^Kettle latest: added\n {2}pages {4}2 / })
  await world.check(['import-raw'], { stdout: /^Kettle latest: unchanged\n[^]*React v1: added\n/ })
  await world.check(['query', 'boils', '-l', 'kettle'], { stdout: /^Found 1 match/ })
  await world.check(['stats', 'show'], {
    stdout: `Openground Statistics\n${'='.repeat(50)}\nLibraries: 2\nTotal chunks: 3\nTool calls:\n`,
  })
  await world.check(['nuke', 'all', '-y', '--quiet'], {
    stderr: /^warning: 1 library version of raw/,
  })
  await world.check(['list', '--json'], { stdout: '[]\n' })
  expect(existsSync(join(raw, 'kettle'))).toBe(false)
  expect(existsSync(join(raw, 'react/v1/a.json'))).toBe(true)
})

test('reports an invalid config.json', async () => {
  await using world = await createWorld()
  writeFiles(join(world.folder, 'home/.config/openground'), {
    'config.json': '{\n  "query": 5,\n}',
  })
  await world.check(['list'], {
    exitCode: 2,
    stderr:
      'error: Cannot read config "DIR/home/.config/openground/config.json": it is not ' +
      'valid JSON (line 3, column 1: property name expected)\n' +
      'hint: correct the file, or run "og config reset"\n',
  })
  await world.check(['config', 'path'], { stdout: 'DIR/home/.config/openground/config.json\n' })
})
