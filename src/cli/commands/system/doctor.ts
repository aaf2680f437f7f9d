import { checkFolders, checkSettings } from '../../../config/check.ts'
import type { Check } from '../../../platform/check.ts'
import { jsonText } from '../../../platform/json.ts'
import { command } from '../../command.ts'
import { lockTimeoutOption } from '../library/publish-options.ts'

export const doctor = command({
  name: 'doctor',
  summary: 'check the installation, the store and the settings',
  options: {
    offline: { type: 'switch', doc: 'also index and search without network access' },
    deep: { type: 'switch', doc: 'check every byte of the store against its checksums' },
    repair: { type: 'switch', doc: 'repair damage in the store' },
    'lock-timeout': lockTimeoutOption,
    json: { type: 'switch', doc: 'print a JSON array' },
  },
  examples: ['og doctor', 'og doctor --offline', 'og doctor --repair'],
  async run(context, { offline, deep, repair, json, 'lock-timeout': lockSeconds }) {
    const { env, terminal, openOg } = context
    const { config, check } = await checkSettings(env)
    await using og = await openOg(config, { needsBucket: true })
    let isRepaired = true
    if (repair) {
      const request = { lockTimeoutMs: lockSeconds * 1000, signal: context.interruption() }
      let lines = 0
      for await (const { line, ok } of og.repair(request)) {
        terminal.note(ok ? 'plain' : 'error', line)
        isRepaired &&= ok
        lines++
      }
      if (lines === 0) terminal.note('plain', 'Nothing in the store is damaged.')
    }
    const { checks: ofStore } = await og.doctor({ offline, isDeep: deep || repair })
    const checks = [...ofStore, ...(await checkFolders(config, env)), check]
    await terminal.write(json ? jsonText(checks) : renderChecks(checks))
    return isRepaired && checks.every((check) => check.ok) ? 0 : 1
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
