/** One instruction of a Dockerfile, with its lines joined. */
export type Instruction = { line: number; name: string; flags: string[]; rest: string }

export function parseDockerfile(text: string): Instruction[] {
  const found: Instruction[] = []
  const lines = text.split('\n')
  for (let i = 0; i < lines.length; i++) {
    const first = i
    let joined = lines[i]!
    if (/^\s*(?:#|$)/.test(joined)) continue
    while (/\\\s*$/.test(joined)) joined = joined.replace(/\\\s*$/, ' ') + lines[++i]!.trim()
    const [, name = '', after = ''] = /^\s*([A-Za-z]+)\s*(.*)$/s.exec(joined) ?? []
    const flags = /^(?:--\S+\s+)*/.exec(after)![0]
    found.push({
      line: first + 1,
      name: name.toUpperCase(),
      flags: flags.trim().split(/\s+/).filter(Boolean),
      rest: after.slice(flags.length).trim(),
    })
  }
  return found
}

/** Returns the faults of a Dockerfile as `LINE: what`. */
export function dockerfileFindings(text: string): string[] {
  const all = parseDockerfile(text)
  const stages = all.filter(({ name }) => name === 'FROM')
  const last = all.slice(all.indexOf(stages.at(-1)!))
  const names = new Set(stages.map(({ rest }) => / AS (\S+)$/i.exec(rest)?.[1]))
  const one = (name: string) => last.filter((it) => it.name === name)
  return [
    ...all.filter(({ name }) => !known.has(name)).map(({ line, name }) => `${line}: no ${name}`),
    ...stages
      .filter(({ rest }) => !isPinned(rest.replace(/ AS \S+$/i, '')))
      .map(({ line }) => `${line}: a base with its version`),
    ...['USER', 'ENTRYPOINT', 'HEALTHCHECK', 'VOLUME']
      .filter((name) => one(name).length !== 1)
      .map((name) => `1: one ${name}`),
    ...one('USER')
      .filter(({ rest }) => !/^[1-9]\d*(?::[1-9]\d*)?$/.test(rest))
      .map(({ line }) => `${line}: a user by number, not root`),
    ...last
      .filter(({ name, rest }) => isCommand(name) && execForm(rest) === null)
      .map(({ line, name }) => `${line}: ${name} as a list, there is no shell`),
    ...all
      .filter(({ name, rest }) => /^(?:ENV|ARG)$/.test(name) && /KEY|TOKEN|SECRET/i.test(rest))
      .map(({ line }) => `${line}: a secret in the image`),
    ...all
      .filter(({ name, rest }) => name === 'RUN' && /curl|wget|apt-get|https?:/.test(rest))
      .map(({ line }) => `${line}: a build that needs the network`),
    ...all.flatMap(({ name, flags, line }) => {
      const from = flags.find((flag) => flag.startsWith('--from='))?.slice('--from='.length)
      return name === 'COPY' && from !== undefined && !names.has(from)
        ? [`${line}: no ${from}`]
        : []
    }),
  ]
}

/** Parses `CMD ["a", "b"]`; returns null for the shell form. */
export function execForm(rest: string): string[] | null {
  const list = rest.replace(/^CMD\s+/, '')
  return list.startsWith('[') ? (JSON.parse(list) as string[]) : null
}

const known = new Set([
  'FROM',
  'RUN',
  'COPY',
  'ENV',
  'ARG',
  'USER',
  'WORKDIR',
  'VOLUME',
  'EXPOSE',
  'HEALTHCHECK',
  'ENTRYPOINT',
  'CMD',
  'LABEL',
  'STOPSIGNAL',
])

function isPinned(image: string): boolean {
  return image === 'scratch' || /:(?!latest$)[\w.-]+$|@sha256:[0-9a-f]{64}$/.test(image)
}

function isCommand(name: string): boolean {
  return name === 'ENTRYPOINT' || name === 'CMD' || name === 'HEALTHCHECK' || name === 'VOLUME'
}
