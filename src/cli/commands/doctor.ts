import { checkSettings } from '../../config/check.ts'
import type { Check } from '../../platform/check.ts'
import { command } from '../command.ts'

export const doctor = command({
  name: 'doctor',
  summary: 'check that everything og needs is there and works',
  details: [
    'Natives, kernels, LanceDB, model, tokenizer, store, disk and settings are checked. Damaged ' +
      'files of the cache are replaced, nothing else is changed. The exit code is 1 where a ' +
      'check fails.',
  ],
  positionals: {},
  options: {
    offline: { type: 'switch', doc: 'also index and ask with the network closed' },
    json: { type: 'switch', doc: 'print a JSON array' },
  },
  examples: ['og doctor', 'og doctor --offline'],
  async run({ env, terminal, openOg }, { offline, json }) {
    const { config, check } = await checkSettings(env)
    await using og = await openOg(config)
    const checks = [...(await og.doctor({ offline })).checks, check]
    await terminal.write(json ? `${JSON.stringify(checks, null, 2)}\n` : renderChecks(checks))
    return checks.every((check) => check.ok) ? 0 : 1
  },
})

export function renderChecks(checks: readonly Check[]): string {
  const width = Math.max(0, ...checks.map((check) => check.name.length))
  return checks
    .map(({ name, ok, detail, hint }) => {
      const line = `${ok ? 'ok  ' : 'FAIL'}  ${name.padEnd(width)}  ${detail}\n`
      return hint ? `${line}${' '.repeat(width + 8)}hint: ${hint}\n` : line
    })
    .join('')
}
