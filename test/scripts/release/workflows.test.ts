import { expect, test } from 'bun:test'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { parse } from 'yaml'
import { testWhere } from '../../support/where.ts'

const root = join(import.meta.dir, '..', '..', '..')
const folder = join(root, '.github', 'workflows')
const texts = readdirSync(folder).map((name) => [name, readFileSync(join(folder, name), 'utf8')])

test('actions are pinned by hash, and a job may write only what it says', () => {
  for (const [, text] of texts) {
    const used = [...text!.matchAll(/uses: (\S+)(.*)/g)]
    expect(used.filter(([, action, comment]) =>
      !/@[0-9a-f]{40}$/.test(action!) || !/^ # v\d/.test(comment!))).toEqual([])
    expect(parse(text!).permissions).toEqual({ contents: 'read' })
    for (const job of Object.values<any>(parse(text!).jobs)) {
      const checkout = job.steps.filter((it: any) => it.uses?.startsWith('actions/checkout'))
      for (const step of checkout) expect(step.with['persist-credentials']).toBe(false)
    }
  }
})

const lack = Bun.which('actionlint') === null ? 'actionlint is not here' : null
testWhere(lack)('actionlint finds nothing', () => {
  const ran = Bun.spawnSync(['actionlint', '-no-color'], { cwd: root })
  expect(ran.stdout.toString() + ran.stderr.toString()).toBe('')
  expect(ran.exitCode).toBe(0)
})
