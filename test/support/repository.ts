import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'

/** Content of a file by its path; `{ link }` is a symbolic link. */
export type Files = Record<string, string | Uint8Array | { link: string }>

/** Writes files to a folder and creates it if necessary. */
export function writeFiles(folder: string, files: Files): void {
  for (const [path, content] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, path)), { recursive: true })
    if (typeof content === 'object' && 'link' in content) {
      symlinkSync(content.link, join(folder, path))
    } else writeFileSync(join(folder, path), content)
  }
}

/** Runs git in a folder with a neutral author; returns the output without the final newline. */
export function git(folder: string, ...args: string[]): string {
  const { GIT_DIR: _, GIT_INDEX_FILE: __, ...env } = process.env
  const command = ['git', '-c', 'user.name=t', '-c', 'user.email=t@example.org', ...args]
  const ran = Bun.spawnSync(command, { cwd: folder, env })
  if (ran.exitCode !== 0) throw new Error(`git ${args.join(' ')}: ${ran.stderr}`)
  return ran.stdout.toString().trimEnd()
}

/** Commits files; creates a repository with the branch `main` if there is none. */
export function commit(folder: string, files: Files): string {
  mkdirSync(folder, { recursive: true })
  git(folder, 'init', '--quiet', '--initial-branch=main')
  writeFiles(folder, files)
  git(folder, 'add', '--all', '--force')
  git(folder, 'commit', '--quiet', '--allow-empty', '--message=t')
  return git(folder, 'rev-parse', 'HEAD')
}
