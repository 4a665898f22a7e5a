/** ACT a25f45: a cell's headers are other cells of its table. */
export const tableHeaders = {
  id: "td-headers-attr",
  act: ["a25f45"],
  wcag: ["1.3.1"],
  impact: "serious",
  message: "Its headers attribute refers to something that isn't a cell of its table",
  *run({ all, exposed, explicitRole }) {
    for (const element of all("td[headers], th[headers]")) {
      const table = element.closest("table");
      if (!table || !exposed(table) || !exposed(element)) continue;
      const role = explicitRole(table);
      if (role !== null && !/^(table|grid|treegrid)$/.test(role)) continue;
      const ids = (element.getAttribute("headers") ?? "").split(/\s+/).filter(Boolean);
      const isWrong = (id) => {
        const named = element.getRootNode().getElementById(id);
        return !named?.matches("td, th") || named === element || named.closest("table") !== table;
      };
      if (ids.some(isWrong)) yield { element };
    }
  },
};
