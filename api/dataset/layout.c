#include "api/dataset/layout.h"

#include "armdyn/robot.h"

const char *const dataset_field_names[DATASET_FIELDS] = { "t", "q", "qd", "qdd", "tau" };

void dataset_layout_make(size_t joints, const bool present[DATASET_FIELDS], struct dataset_layout *layout)
{
  *layout = (struct dataset_layout){ .joints = joints };
  for (int f = 0; f < DATASET_FIELDS; f++) {
    layout->present[f] = f <= DATASET_Q || present[f];
    layout->begin[f] = layout->width;
    if (layout->present[f]) layout->width += f == DATASET_T ? 1 : joints;
  }
}

enum dataset_field dataset_field_of(const struct dataset_layout *layout, size_t column)
{
  int f = DATASET_FIELDS - 1;
  while (!layout->present[f] || layout->begin[f] > column) f--;
  return (enum dataset_field)f;
}

void dataset_column_name(const struct dataset_layout *layout, size_t column, char name[DATASET_NAME_SIZE])
{
  enum dataset_field f = dataset_field_of(layout, column);
  if (f == DATASET_T)
    snprintf(name, DATASET_NAME_SIZE, "t");
  else
    snprintf(name, DATASET_NAME_SIZE, "%s%zu", dataset_field_names[f], column - layout->begin[f] + 1);
}

void dataset_layout_names(const struct dataset_layout *layout, char names[DATASET_COLUMNS_SIZE])
{
  size_t length = 0;
  names[0] = '\0';
  for (size_t c = 0; c < layout->width; c++) {
    char name[DATASET_NAME_SIZE];
    dataset_column_name(layout, c, name);
    length += (size_t)snprintf(names + length, DATASET_COLUMNS_SIZE - length, "%s%s", c ? "," : "", name);
  }
}

/* There are few layouts: count the columns, and compare with those that have as many. */
bool dataset_layout_read(const char *names, struct dataset_layout *layout)
{
  size_t width = 1;
  for (const char *at = names; *at; at++) width += *at == ',';
  for (unsigned more = 0; more < 8; more++) {
    const bool present[DATASET_FIELDS] = {
      [DATASET_QD] = more & 1, [DATASET_QDD] = more & 2, [DATASET_TAU] = more & 4
    };
    const size_t fields = (size_t)(1 + present[DATASET_QD] + present[DATASET_QDD] + present[DATASET_TAU]);
    char text[DATASET_COLUMNS_SIZE];
    if ((width - 1) % fields || width == 1 || (width - 1) / fields > ARMDYN_JOINTS_MAX) continue;
    dataset_layout_make((width - 1) / fields, present, layout);
    dataset_layout_names(layout, text);
    if (strcmp(text, names) == 0) return true;
  }
  return false;
}
