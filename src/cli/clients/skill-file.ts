import { mkdir, rm, rmdir } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import type { Skill } from '../../mcp/skills/skill.ts'
import { OgError } from '../../platform/error.ts'
import { editTextFile } from '../../platform/file/edit-file.ts'
import { writeFileAtomically } from '../../platform/file/files.ts'
import type { Client, Machine } from './client.ts'
import { cannotWrite, readIfThere, type InstallOutcome, type ClientSetup } from './install.ts'

export type SkillOutcome = Pick<InstallOutcome, 'path' | 'change' | 'backup'>

/** The path where a client reads a skill; null if it reads none. */
export function skillPath(
  { skills }: Client,
  machine: Machine,
  { skill, scope }: { skill: Skill; scope: ClientSetup['scope'] },
): string | null {
  if (skills === undefined) return null
  const folder = scope === 'user' ? skills.user(machine) : join(machine.cwd, skills.project)
  return join(folder, skill.name, 'SKILL.md')
}

/**
 * Installs the skill file of a client or removes it, with its folder if that becomes empty. Backs
 * up an existing file with other content. Returns null if the client reads no skills.
 * @throws OgError if a file cannot be read or written
 */
export async function configureSkill(
  client: Client,
  machine: Machine,
  { launch, scope, dryRun, skill }: ClientSetup & { skill: Skill },
): Promise<SkillOutcome | null> {
  const path = skillPath(client, machine, { skill, scope })
  if (path === null) return null
  const before = await readIfThere(path)
  if (launch === null) {
    if (before === null) return { path, change: 'none', backup: null }
    if (!dryRun) await deleteSkill(path)
    return { path, change: 'removed', backup: null }
  }
  if (before === skill.text) return { path, change: 'none', backup: null }
  const backup = before === null || dryRun ? null : `${path}.og-backup`
  if (!dryRun) await mkdir(dirname(path), { recursive: true }).catch(cannotWrite(path))
  const plan = async (text: string | null) => {
    if (text === skill.text) return null
    if (text !== null) await writeFileAtomically(`${path}.og-backup`, text)
    return skill.text
  }
  if (!dryRun) await editTextFile(path, { plan }).catch(cannotWrite(path))
  return { path, change: before === null ? 'added' : 'replaced', backup }
}

async function deleteSkill(path: string): Promise<void> {
  await rm(path).catch((cause: unknown) => {
    throw new OgError(`Cannot remove ${path}`, { cause })
  })
  await rmdir(dirname(path)).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'ENOTEMPTY' && error.code !== 'EEXIST') throw error
  })
}
