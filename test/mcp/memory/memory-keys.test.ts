import { expect, test } from 'bun:test'
import { parseKeys } from '../../../src/mcp/memory/memory-keys.ts'
import { outcome } from '../../support/memory/memory.ts'

async function check(text: string, expected: object | string): Promise<void> {
  const found = await outcome(parseKeys(text, 'keys.yaml'))
  if (typeof expected === 'string') expect(found).toBe(expected)
  else expect(found).toEqual(expected as never)
}

const [one, two] = ['0123456789abcdef', 'fedcba9876543210']

test('reads the workspaces and the rights of each key', async () => {
  const yaml = `# team\n- key: "${one}"\n- key: ${two}\n  workspaces: [team, me]\n  read_only: true\n`
  const keys = [
    { secret: one, workspaces: null, readOnly: false },
    { secret: two, workspaces: ['team', 'me'], readOnly: true },
  ]
  await check(yaml, keys)
  await check(
    JSON.stringify([{ key: one }, { key: two, workspaces: ['team', 'me'], read_only: true }]),
    keys,
  )
  await check('[]', [])
})

test('names an invalid entry by its position and never shows a key', async () => {
  const start = 'Cannot use the keys of keys.yaml: '
  await check('- key: secret', `${start}entry 1: "key" is shorter than 16 characters`)
  await check(
    `- key: ${one}\n- key: ${two}\n  readonly: true`,
    `${start}entry 2: "it" is not what was expected`,
  )
  await check(`- key: ${one}\n  workspaces: []`, `${start}entry 1: "workspaces" names none`)
  await check(`- key: ${one}\n- key: ${one}`, `${start}entries 1 and 2 have the same key`)
  await check(`key: ${one}`, `${start}is not what was expected`)
  await check(`- "${one}`, 'Cannot read the keys of keys.yaml: it is not valid YAML')
})
