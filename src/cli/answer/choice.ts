import { sourceCommand } from '../../library/sources/add-command.ts'
import { sourcePlace } from '../../store/source.ts'
import type { Choice } from '../../source/choice/choice.ts'

/** The source that `add` would read, and the version that it would replace. */
export type DryAdd = Choice & {
  library: string
  version: string
  /** Tag or branch of a repository; else null. */
  ref: string | null
  commit: string | null
  /**
   * `NAME VERSION` of a version from another source that would be replaced; null if there is none.
   */
  replaces: string | null
}

export function renderChoice(dry: DryAdd): string {
  const { library, version, source, how, rejected: passed, replaces, incomplete } = dry
  const rows: [string, string][] = [
    ['source', how ?? sourcePlace(source)],
    ...('docsPaths' in source && source.docsPaths?.length
      ? [['paths', source.docsPaths.join(', ')] as [string, string]]
      : []),
    ...passed.map(({ place, reason }): [string, string] => ['passed', `${place}: ${reason}`]),
    ...(incomplete ? [['lacking', incomplete.reason] as [string, string]] : []),
    ...(replaces === null ? [] : [['replaces', replaces] as [string, string]]),
    ['command', commandOf(dry)],
  ]
  return (
    `${library} ${version}: nothing is indexed, this is a dry run\n` +
    rows.map(([name, value]) => `  ${name.padEnd(8)} ${value}\n`).join('')
  )
}

export function choiceJson(dry: DryAdd) {
  const { library, version, source, commit, how, rejected: passed, replaces, incomplete } = dry
  return {
    library,
    version,
    source,
    commit,
    found: how,
    passed,
    replaces,
    incomplete: incomplete?.reason ?? null,
    command: commandOf(dry),
  }
}

function commandOf({ library, version, ...live }: DryAdd): string {
  return sourceCommand({ library, version, live })
}
