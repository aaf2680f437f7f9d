import { userHome } from '../config/paths.ts'
import { readProjectPins, type ProjectPins } from '../version/project.ts'
import type { Context } from './context.ts'

export async function projectPins(
  { env, terminal }: Context,
  version: string | null,
): Promise<ProjectPins> {
  if (version !== null) return { pins: [], warnings: [] }
  const project = await readProjectPins(process.cwd(), userHome(env))
  for (const warning of project.warnings) terminal.note('warning', warning)
  return project
}
