import { userHome } from '../config/paths.ts'
import type { VersionFrom } from '../version/pick.ts'
import { readProjectPins, type ProjectPins } from '../version/project.ts'
import type { Context } from './context.ts'
import type { Terminal } from './terminal.ts'

/**
 * What the project of the current folder names, unless a version was typed; a file that cannot be
 * read is a warning.
 */
export async function projectPins(
  { env, terminal }: Context,
  typed: string | null,
): Promise<ProjectPins> {
  if (typed !== null) return { pins: [], warnings: [] }
  const project = await readProjectPins(process.cwd(), userHome(env))
  for (const warning of project.warnings) terminal.note('warning', warning)
  return project
}

/** Says which version was taken that nobody typed, and why. */
export function noteVersion(terminal: Terminal, from: VersionFrom): void {
  const { library, version, package: name, named, file } = from
  const what = name === library ? named : `${name} ${named}`
  terminal.note('plain', `Version ${version} of ${library}: ${file} names ${what}.`)
}
