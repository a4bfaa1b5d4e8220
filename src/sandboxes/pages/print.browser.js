// The script of the print page of a sandbox. The host serves this file unchanged.

/** Loads the page with the key of the fragment, which is then on the page and in its QR code. */
async function showKey() {
  const given = new URLSearchParams(location.hash.slice(1))
  const key = given.get('key')
  if (key === null || !/^pst_[0-9A-Za-z]{49}$/.test(key)) return
  const response = await fetch(location.pathname, { headers: { Authorization: `Bearer ${key}` } })
  if (!response.ok) return
  const page = new DOMParser().parseFromString(await response.text(), 'text/html')
  // The board knows what tells students with one name apart. The page of an address must not.
  if (given.has('identifier')) page.querySelector('h1').append(` (${given.get('identifier')})`)
  document.querySelector('main').replaceWith(page.querySelector('main'))
}

function prepare() {
  const expiry = document.getElementById('expiry')
  const expiresAt = new Date(expiry.dateTime)
  expiry.textContent = expiresAt.toLocaleString(undefined, { dateStyle: 'full', timeStyle: 'short' })
  document.getElementById('print-button').addEventListener('click', () => print())
}

// Without a response, the page stays without the key, and says so.
showKey().then(prepare, prepare)
