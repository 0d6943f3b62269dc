  "use strict";
  const filter = document.getElementById("filter");
  const calls = document.getElementById("calls");
  const open = new Set();

  async function ask(path, method = "GET") {
    const key = filter.elements.key.value;
    const headers = key ? { Authorization: "Bearer " + key } : {};
    const answer = await fetch(path, { method, headers });
    if (answer.status === 204) return null;
    const body = await answer.json();
    if (!answer.ok) throw new Error(body.error);
    return body;
  }

  function cell(row, text, name) {
    const made = row.insertCell();
    made.textContent = text ?? "";
    if (name) made.className = name;
  }

  function show(call) {
    const row = calls.insertRow();
    row.className = "call";
    row.onclick = () => { open.has(call.id) ? open.delete(call.id) : open.add(call.id); refresh(); };
    cell(row, call.id);
    cell(row, call.at.slice(0, 19).replace("T", " "));
    cell(row, call.tenant);
    cell(row, call.method);
    cell(row, call.path + (call.query ? "?" + call.query : ""), "path");
    cell(row, call.status ?? "no answer", call.status >= 200 && call.status < 400 ? "" : "bad");
    if (!open.has(call.id)) return;
    const more = calls.insertRow().insertCell();
    more.colSpan = 6;
    const text = document.createElement("pre");
    text.textContent = JSON.stringify({ body: call.body, response: call.response }, null, 2);
    more.append(text);
  }

  async function refresh() {
    const problem = document.getElementById("problem");
    try {
      const query = new URLSearchParams({ limit: "200" });
      for (const name of ["tenant", "path", "status"]) {
        const value = filter.elements[name].value.trim();
        if (value) query.set(name, value);
      }
      const [clock, tenants, journal] = await Promise.all([
        ask("clock"), ask("tenants"), ask("requests?" + query),
      ]);
      document.getElementById("clock").textContent = clock.now + " (" + clock.mode + ")";
      const choice = filter.elements.tenant;
      for (const { name } of tenants.tenants) {
        if (![...choice.options].some((option) => option.value === name)) choice.add(new Option(name, name));
      }
      calls.replaceChildren();
      journal.requests.reverse().forEach(show);
      problem.textContent = "";
    } catch (error) {
      problem.textContent = error.message;
    }
  }

  filter.oninput = refresh;
  filter.onsubmit = (event) => event.preventDefault();
  document.getElementById("clear").onclick = async () => {
    const tenant = filter.elements.tenant.value;
    await ask("requests" + (tenant ? "?tenant=" + encodeURIComponent(tenant) : ""), "DELETE").catch(() => {});
    refresh();
  };
  refresh();
  setInterval(refresh, 1000);
