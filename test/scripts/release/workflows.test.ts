import { expect, test } from 'bun:test'
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { parse } from 'yaml'
import { scripts } from '../../../package.json'
import { zigVersion } from '../../../scripts/release/parts.ts'
import { runSteps, stepsOf, whyLeftOut } from '../../../scripts/release/workflow.ts'
import { createTempFolder } from '../../../src/platform/file/files.ts'
import { testWhere } from '../../support/where.ts'

const root = join(import.meta.dir, '..', '..', '..')
const folder = join(root, '.github', 'workflows')
const texts = readdirSync(folder).map((name) => [name, readFileSync(join(folder, name), 'utf8')])

test('pins actions by hash, and declares the permissions of every job', () => {
  for (const [, text] of texts) {
    const used = [...text!.matchAll(/uses: (\S+)(.*)/g)]
    expect(
      used.filter(
        ([, action, comment]) => !/@[0-9a-f]{40}$/.test(action!) || !/^ # v\d/.test(comment!),
      ),
    ).toEqual([])
    expect(parse(text!).permissions).toEqual({ contents: 'read' })
    for (const job of Object.values<any>(parse(text!).jobs)) {
      const checkout = job.steps.filter((it: any) => it.uses?.startsWith('actions/checkout'))
      for (const step of checkout) expect(step.with['persist-credentials']).toBe(false)
    }
  }
})

const lack = Bun.which('actionlint') === null ? 'actionlint is not here' : null
testWhere(lack)('actionlint finds no fault', () => {
  const ran = Bun.spawnSync(['actionlint', '-no-color'], { cwd: root })
  expect(ran.stdout.toString() + ran.stderr.toString()).toBe('')
  expect(ran.exitCode).toBe(0)
})

/** Commands of npm itself; all other names are scripts of package.json. */
const ofNpmItself = ['pack']

/** Returns the scripts and files of a shell command that this repository lacks. */
function absent(run: string): string[] {
  const ofNpm = [...run.matchAll(/\bnpm (?:run )?([\w:-]+)/g)].map(([, name]) => name!)
  const files = run.match(/(?<=^|\s)(?:\.?[\w-]+\/)+[\w.-]+(?=$|\s)/gm) ?? []
  return [
    ...ofNpm.filter((name) => !(name in scripts) && !ofNpmItself.includes(name)),
    ...files.filter((path) => !/^(latest|release)\//.test(path) && !existsSync(join(root, path))),
  ]
}

test('the steps use only scripts and files that exist', () => {
  expect(absent('npm run biuld\nbash .ci/rnu x\nnpm test')).toEqual(['biuld', '.ci/rnu'])
  for (const [name, text] of texts) {
    const steps = Object.values<any>(parse(text!).jobs).flatMap((job) => job.steps)
    const runs = steps.flatMap((step) => step.run ?? [])
    expect(runs.length, name).toBeGreaterThan(0)
    expect(runs.flatMap(absent), name).toEqual([])
    for (const [, version] of text!.matchAll(/ziglang==(\S+)/g)) expect(version).toBe(zigVersion)
  }
})

test('the release workflow completes the lock file, and then uploads everything that npm publishes', () => {
  const { build } = parse(texts.find(([name]) => name === 'release.yml')![1]!).jobs
  const steps: any[] = build.steps
  const at = (run: string) => steps.findIndex((step) => step.run?.startsWith(run))
  const lock = at('npm run release -- --lock')
  expect(lock).toBeGreaterThan(0)
  expect(steps.findIndex(({ run }) => run === 'npm run release')).toBeGreaterThan(lock)
  const uploads = steps.filter((it) => it.with?.path).map((it) => [it.with.name, it.with.path])
  expect(Object.fromEntries(uploads)).toMatchObject({
    npm: 'npm-packages/*.tgz',
    packages: 'dist/release/packages/*',
  })
})

test('runs a job from the committed files, up to the first step that fails', async () => {
  await using temp = await createTempFolder('workflow')
  const repository = join(temp.path, 'repository')
  mkdirSync(repository)
  const file = (name: string) => join(repository, name)
  writeFileSync(file('committed'), '')
  const script = 'git init -q && git add . && git -c user.name=a -c user.email=b commit -qm c'
  expect(Bun.spawnSync(['sh', '-c', script], { cwd: repository }).exitCode).toBe(0)
  writeFileSync(file('not-committed'), '')
  const steps = stepsOf(
    `jobs:
  test:
    steps:
      - uses: actions/checkout@0 # v4
      - uses: actions/setup-node@0 # v4
      - run: test -e committed && test ! -e not-committed && test -z "$(ls -A "$HOME")"
      - name: secret
        run: exit 1
        env: { KEY: '\${{ secrets.KEY }}' }
      - run: 'exit $CODE'
        env: { CODE: '7' }
      - run: exit 8
`,
    'test',
  )
  const said: string[] = []
  expect(await runSteps(repository, steps, (line) => said.push(line))).toBe(7)
  expect(said.map((line) => line.split(':')[0])).toEqual(['left out', 'step', 'left out', 'step'])
  expect(await runSteps(repository, steps.slice(0, 4), () => {})).toBe(0)
  expect(() => stepsOf('jobs: { test: { steps: [] } }', 'lint')).toThrow('there are test')
})

test('runs the whole ci workflow here, except for its actions', () => {
  const text = texts.find(([name]) => name === 'ci.yml')![1]!
  const leftOut = stepsOf(text, 'test').filter((step) => step.run && whyLeftOut(step) !== null)
  expect(leftOut).toEqual([])
})
