import { expect, test } from 'bun:test'
import { spawnSync } from 'node:child_process'
import { chmodSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { hostTarget, targets } from '../../../scripts/build/target.ts'
import { writeWheels } from '../../../scripts/release/wheels.ts'
import { version } from '../../../package.json'
import { createTempFolder } from '../../../src/platform/file/files.ts'
import { testWhere } from '../../support/where.ts'

const script = '#!/bin/sh\necho "og says $*"\n[ "$1" != fail ] || exit 3\n'

const lack =
  process.platform === 'win32'
    ? 'the script that stands for og needs a shell'
    : spawnSync('python3', ['-c', 'import ensurepip, venv']).status === 0
      ? null
      : 'python3 with venv and pip is not here'

testWhere(lack)(
  'pip installs the executable and the library, and both commands run it',
  async () => {
    await using temp = await createTempFolder('wheels')
    const executable = join(temp.path, 'og')
    writeFileSync(executable, script)
    chmodSync(executable, 0o755)
    const target = hostTarget()
    const wheels = join(temp.path, 'wheels')
    const names = await writeWheels(wheels, [target], { [target.name]: executable })
    expect(names[0]).toBe(`og_memory-${version}-py3-none-any.whl`)
    const run = (...command: string[]) =>
      spawnSync(command[0]!, command.slice(1), { cwd: temp.path, encoding: 'utf8' })
    const at = (name: string) => join(temp.path, 'v', 'bin', name)
    expect(run('python3', '-m', 'venv', 'v').status).toBe(0)
    const install = [at('python'), '-m', 'pip', 'install', '--no-index', '--find-links', wheels]
    const installed = run(...install, 'og-memory[og]')
    expect(`${installed.stderr}${installed.status}`).toEndWith('0')
    expect(run(at('og'), 'a', 'b c').stdout).toBe('og says a b c\n')
    expect(run(at('og-cli'), 'fail').status).toBe(3)
    expect(run(at('python'), '-m', 'og_cli', 'x').stdout).toBe('og says x\n')
    const find = 'from og_memory._executable import find_og; print(find_og())'
    expect(run(at('python'), '-c', find).stdout).toBe(`${at('og')}\n`)
  },
  120_000,
)

test('builds the same bytes again, with a tag for each platform', async () => {
  await using temp = await createTempFolder('wheels')
  const executable = join(temp.path, 'og')
  writeFileSync(executable, script)
  const paths = Object.fromEntries(targets.map(({ name }) => [name, executable]))
  const [first, second] = [join(temp.path, '1'), join(temp.path, '2')]
  const names = await writeWheels(first, targets, paths)
  expect(names.map((name) => name.split('-').at(-1))).toEqual([
    'any.whl',
    'manylinux_2_28_x86_64.whl',
    'musllinux_1_2_x86_64.whl',
    'manylinux_2_28_aarch64.whl',
    'macosx_13_0_arm64.whl',
    'win_amd64.whl',
  ])
  await writeWheels(second, targets, paths)
  for (const name of names) {
    expect(readFileSync(join(first, name))).toEqual(readFileSync(join(second, name)))
  }
})
