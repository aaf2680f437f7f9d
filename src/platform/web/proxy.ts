export type ProxyEnvironment = Readonly<Record<string, string | undefined>>

/**
 * Whether requests for this URL go through a proxy, according to the variables that `fetch` obeys:
 * HTTP_PROXY, HTTPS_PROXY and NO_PROXY, also in lower case.
 */
export function isProxied(url: URL, env: ProxyEnvironment): boolean {
  const name = url.protocol === 'https:' ? 'https_proxy' : 'http_proxy'
  const proxy = env[name] ?? env[name.toUpperCase()] ?? ''
  return proxy !== '' && !isExempt(url, env.no_proxy ?? env.NO_PROXY ?? '')
}

/** Whether NO_PROXY lists the host, a domain that contains it (either with its port), or `*`. */
function isExempt(url: URL, list: string): boolean {
  const host = url.hostname.replace(/^\[|\]$/g, '')
  const port = url.port || (url.protocol === 'https:' ? '443' : '80')
  return list.split(',').some((typed) => {
    const entry = typed.trim().toLowerCase()
    if (entry === '*') return true
    const [, name = entry, entryPort] = /^(\[.*\]|[^:]*)(?::(\d+))?$/.exec(entry) ?? []
    const domain = name.replace(/^\[|\]$|^\*?\./g, '')
    if (domain === '' || (entryPort !== undefined && entryPort !== port)) return false
    return host === domain || host.endsWith(`.${domain}`)
  })
}
