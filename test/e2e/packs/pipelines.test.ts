/**
 * Runs the shell commands of pipelines, from action.yml and templates/registry, with this
 * executable.
 */
import { expect, test } from 'bun:test'
import {
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { parse } from 'yaml'
import { parsePackList } from '../../../src/library/ci/pack-list.ts'
import { createWorld, handbook, type World } from '../../support/e2e.ts'
import { openSite } from '../../support/servers/site.ts'
import { testWhere } from '../../support/where.ts'

const root = join(import.meta.dir, '..', '..', '..')
const template = join(root, 'templates', 'registry')
const read = (path: string) => readFileSync(path, 'utf8')
const action = parse(read(join(root, 'action.yml')))
const workflow = join(template, '.github', 'workflows', 'packs.yml')

type Step = { name: string; uses?: string; run?: string; env?: Record<string, string> }
const steps: Step[] = action.runs.steps

/** Creates the folder of a pipeline, with a list of one library and a key. */
async function pipeline(): Promise<World & { cwd: string; env: Record<string, string> }> {
  const world = await createWorld()
  const cwd = join(world.folder, 'cwd')
  cpSync(handbook, join(cwd, 'docs'), { recursive: true })
  writeFileSync(join(cwd, 'packs.yaml'), 'libraries: { kettle: { source: docs, versions: [1] } }')
  await world.og(['registry', 'key', 'og.key'])
  const env = { ...world.env, PATH: `${join(world.folder, 'bin')}:${world.env.PATH}` }
  return Object.assign(world, { cwd, env })
}

async function bash(script: string, cwd: string, env: Record<string, string>) {
  const command = ['bash', '--noprofile', '--norc', '-eo', 'pipefail', '-c', `{ ${script}\n} 2>&1`]
  const ran = Bun.spawn(command, { cwd, env, stdout: 'pipe' })
  const said = await new Response(ran.stdout).text()
  return { code: await ran.exited, said }
}

test('the action builds, reports and signs, and fails only if no library could be built', async () => {
  await using world = await pipeline()
  const { cwd } = world
  const temp = join(world.folder, 'runner')
  mkdirSync(temp)
  const build = steps.find(({ name }) => name === 'Build')!
  const inputs = {
    PACKS_FILE: 'packs.yaml',
    PACKS_OUTPUT: 'public',
    PACKS_KEEP: '3',
    PACKS_KEY: read(join(cwd, 'og.key')),
    PACKS_OPTIONS: '--jobs=1\n--days=7\n',
    PACKS_PUBLISHED: 'site',
    PACKS_PAGES: 'false',
  }
  expect(Object.keys(build.env!).sort()).toEqual(Object.keys(inputs).sort())
  const files = { GITHUB_OUTPUT: join(temp, 'output'), GITHUB_STEP_SUMMARY: join(temp, 'summary') }
  const run = (changed: object) =>
    bash(build.run!, cwd, {
      ...world.env,
      ...inputs,
      ...files,
      RUNNER_TEMP: temp,
      GITHUB_RUN_NUMBER: '41',
      ...changed,
    })
  expect(await run({})).toMatchObject({ code: 0 })
  expect(read(files.GITHUB_OUTPUT)).toBe('code=0\n')
  expect(read(files.GITHUB_STEP_SUMMARY)).toContain('| kettle | 1 | published | 8 |')
  expect(JSON.parse(read(join(cwd, 'public', 'index.json')))).toMatchObject({ serial: 41 })
  expect(existsSync(join(temp, 'og.key'))).toBe(false)
  // Simulates the next nightly run with a lost cache.
  renameSync(join(cwd, 'public'), join(cwd, 'site'))
  const next = await run({ GITHUB_RUN_NUMBER: '42' })
  expect(next.said).toContain('site: serial 41, 1 pack, 1 fetched')
  expect(next.said).toContain('kettle 1: unchanged')
  expect(readdirSync(join(cwd, 'public')).sort()).toEqual([
    'index.json',
    'index.json.minisig',
    'kettle-1.ogpack',
  ])
  await world.check(['registry', 'add', 'public', '--key', 'og.key.pub'], { stdout: /1 pack/ })
  writeFileSync(join(cwd, 'packs.yaml'), 'libraries: { kettle: { source: none, versions: [1] } }')
  expect(await run({})).toMatchObject({ code: 0 })
  expect(read(files.GITHUB_OUTPUT)).toEndWith('code=1\n')
  expect((await run({ PACKS_FILE: 'none.yaml' })).code).toBe(2)
})

test('the action starts from the GitHub Pages of its repository unless configured otherwise', async () => {
  await using world = await pipeline()
  const bin = join(world.folder, 'bin-stub')
  mkdirSync(bin)
  const stub = '#!/bin/sh\nprintf "%s\\n" "$@" > args; exit 3\n'
  writeFileSync(join(bin, 'og'), stub, { mode: 0o755 })
  const build = steps.find(({ name }) => name === 'Build')!
  const published = async (repository: string, pages: string, typed = '') => {
    const empty = Object.fromEntries(Object.keys(build.env!).map((name) => [name, '']))
    await bash(build.run!, world.cwd, {
      ...world.env,
      ...empty,
      PATH: `${bin}:${world.env.PATH}`,
      RUNNER_TEMP: world.folder,
      GITHUB_OUTPUT: join(world.folder, 'output'),
      GITHUB_REPOSITORY: repository,
      PACKS_PAGES: pages,
      PACKS_PUBLISHED: typed,
    })
    return read(join(world.cwd, 'args'))
      .split('\n')
      .find((it) => it.startsWith('--published'))
  }
  expect(await published('Acme/packs', 'true')).toBe('--published=https://acme.github.io/packs')
  expect(await published('Acme/acme.github.io', 'true')).toBe('--published=https://acme.github.io')
  expect(await published('Acme/packs', 'true', 'https://a.example')).toBe(
    '--published=https://a.example',
  )
  expect(await published('Acme/packs', 'true', 'none')).toBeUndefined()
  expect(await published('Acme/packs', 'false')).toBe('--published=')
})

test('the action installs og from its releases if og is not on PATH', async () => {
  await using world = await pipeline()
  using site = openSite({ '/latest/download/install.sh': 'echo "of $OG_BASE_URL" > "$HOME/og"' })
  const install = steps.find(({ name }) => name === 'Install og')!
  const env = {
    HOME: world.env.HOME!,
    RUNNER_TEMP: world.env.TMPDIR!,
    OG_VERSION: '',
    OG_BASE_URL: site.url,
    GITHUB_PATH: join(world.folder, 'path'),
  }
  expect((await bash(install.run!, world.cwd, { ...env, PATH: world.env.PATH! })).code).toBe(0)
  expect(site.requests).toEqual([])
  expect((await bash(install.run!, world.cwd, { ...env, PATH: '/usr/bin:/bin' })).code).toBe(0)
  expect(read(join(world.env.HOME!, 'og'))).toBe(`of ${site.url}\n`)
  expect(read(env.GITHUB_PATH)).toBe(`${world.env.HOME}/.local/bin\n`)
})

test('the GitLab jobs build and report failures', async () => {
  await using world = await pipeline()
  const { pages, report } = parse(read(join(template, '.gitlab-ci.yml')))
  const env = { ...world.env, OG_REGISTRY_KEY: join(world.cwd, 'og.key'), CI_PIPELINE_IID: '7' }
  const run = ({ script }: { script: string[] }) => bash(script.join('\n'), world.cwd, env)
  expect(await run(pages)).toMatchObject({ code: 0 })
  expect((await run(report)).code).toBe(0)
  expect(JSON.parse(read(join(world.cwd, 'public', 'index.json')))).toMatchObject({ serial: 7 })
  writeFileSync(join(world.cwd, 'packs.yaml'), 'libraries: { kettle: { source: none } }')
  expect((await run(pages)).code).toBe(0)
  expect(await run(report)).toMatchObject({ code: 1, said: expect.stringContaining('| failed |') })
  for (const path of pages.artifacts.paths) expect(existsSync(join(world.cwd, path))).toBe(true)
  expect((await bash(pages.before_script.join('\n'), world.cwd, env)).code).toBe(0)
})

test('pins actions by hash, and inserts no input into a script', () => {
  const jobs = Object.values(parse(read(workflow)).jobs) as { steps: Step[] }[]
  const all = [...steps, ...jobs.flatMap((job) => job.steps)]
  for (const { uses, run } of all) {
    if (uses !== undefined && !uses.startsWith('OWNER/og@v')) {
      expect(uses).toMatch(/^actions\/[\w/-]+@[0-9a-f]{40}$/)
    }
    if (run !== undefined) expect(run).not.toContain('${{')
  }
})

test("the template's list of packs is valid", async () => {
  const path = join(template, 'packs.yaml')
  const wishes = await parsePackList(read(path), path)
  expect(wishes.map(({ library, version }) => `${library}@${version}`)).toEqual([
    'fastapi@0.115',
    'fastapi@latest',
    'flask@^3',
  ])
})

const lack = Bun.which('actionlint') === null ? 'no actionlint' : null

testWhere(lack)('actionlint accepts the workflow in the template', () => {
  const ran = Bun.spawnSync(['actionlint', workflow])
  expect(`${ran.stdout}`).toBe('')
})
