import { Problem, RestHeart } from "../../clients/typescript/dist/index.js";

// A link may name another gateway on this machine, but nobody else who would get the passwords.
const named = new URLSearchParams(location.search).get("gateway");
const gateway = named && ["localhost", "127.0.0.1"].includes(new URL(named).hostname) ? named : "http://localhost:8080";
const element = id => document.getElementById(id);
const client = new RestHeart(gateway, {
  onAccount: account => {
    sessionStorage.setItem("account", JSON.stringify(account));
    show(account);
  },
});
const products = client.collection("/products");
const orders = client.collection("/orders");
const pictures = client.files("/pictures.files");
let live = null;

/** Runs what a visitor asked for, and says why it failed. */
async function attempt(act) {
  element("message").textContent = "";
  try {
    await act();
  } catch (failure) {
    element("message").textContent = failure.message;
  }
}

/** A list item with text, and perhaps a button. */
function item(text, label, act) {
  const line = document.createElement("li");
  line.append(text + " ");
  if (label) {
    const button = document.createElement("button");
    button.textContent = label;
    button.addEventListener("click", () => attempt(act));
    line.append(button);
  }
  return line;
}

function show(account) {
  live?.close();
  live = null;
  element("account").hidden = account !== null;
  element("who").hidden = account === null;
  element("customer").hidden = !account?.roles.includes("customer");
  element("merchant").hidden = !account?.roles.includes("merchant");
  if (!account) return;
  element("who").firstElementChild.textContent = account.username;
}

async function begin() {
  const account = client.account;
  await showProducts();
  if (account?.roles.includes("customer")) {
    live = orders.live("mine", found => element("orders").replaceChildren(
      ...found.map(order => item(`${order.product}, ${order.price} on ${new Date(order.at).toLocaleString()}`))),
      { compare: (a, b) => (a.at < b.at ? 1 : -1) });
    live.done.catch(failure => (element("message").textContent = failure.message));
  }
  if (account?.roles.includes("merchant")) {
    const days = await orders.aggregate("sales-per-day");
    element("sales").replaceChildren(...days.map(day => item(`${day._id}: ${day.orders} orders, ${day.total}`)));
  }
}

async function showProducts() {
  const text = element("search").value.replace(/[.*+?^${}()|[\]\\]/g, "\\$&");
  const filter = text ? { name: { $regex: text, $options: "i" } } : undefined;
  const { documents } = await products.find({ filter, sort: "name", pagesize: 50 });
  const isCustomer = client.account?.roles.includes("customer");
  element("products").replaceChildren(...documents.map(product => {
    const line = item(`${product.name}: ${product.price}, ${product.stock} left`, isCustomer && "Buy", () => buy(product));
    if (product.picture) {
      const image = new Image();
      image.alt = product.name;
      image.src = pictures.address(product.picture);
      line.prepend(image);
    }
    return line;
  }));
}

/** The stock and the order change together, or not at all. */
async function buy(product) {
  try {
    await client.transaction(async within => {
      await within.collection("/products").patch(product._id, { $inc: { stock: -1 } });
      await within.collection("/orders").insert({ product: product.name, price: product.price });
    });
  } catch (failure) {
    throw failure instanceof Problem && failure.status === 404 ? new Error("sold out") : failure;
  } finally {
    await showProducts();
  }
}

element("account").addEventListener("submit", event => {
  event.preventDefault();
  const { user, password } = event.target.elements;
  attempt(async () => {
    if (event.submitter?.value === "signup") await client.collection("/users").insert({ _id: user.value, password: password.value });
    await client.login(user.value, password.value);
    await begin();
  });
});
element("logout").addEventListener("click", () => attempt(async () => {
  await client.logout();
  await begin();
}));
element("search").addEventListener("input", () => attempt(showProducts));
element("upload").addEventListener("submit", event => {
  event.preventDefault();
  const { product, file } = event.target.elements;
  attempt(async () => {
    const picture = await pictures.upload(file.files[0]);
    await products.patch(product.value, { picture });
    await showProducts();
  });
});

const kept = JSON.parse(sessionStorage.getItem("account") ?? "null");
if (kept && kept.expiresAt > Date.now()) client.restore(kept);
attempt(begin);
