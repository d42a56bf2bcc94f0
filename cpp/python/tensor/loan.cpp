// SPDX-License-Identifier: Apache-2.0
#include "loan.hpp"

#include <structmember.h>

#include <array>

// The one is Python's from 3.13 on, the other before it.
extern "C" {
[[gnu::weak]] int Py_IsFinalizing();
[[gnu::weak]] int _Py_IsFinalizing();  // NOLINT(bugprone-reserved-identifier)
}

namespace wirecost::tensor {

namespace {

struct Pool {
  PyObject ob_base;
  Py_ssize_t limit, held;
};

struct Loan {
  PyObject ob_base;
  PyObject* weak;
  PyObject* sample;
  PyObject* release;  // null where nothing is to be called
  Pool* pool;
};

PyTypeObject* loan_type = nullptr;

int pool_init(PyObject* self, PyObject* arguments, PyObject* names) {
  static const char* known[] = {"limit", nullptr};
  auto* const pool = reinterpret_cast<Pool*>(self);
  return PyArg_ParseTupleAndKeywords(arguments, names, "n", const_cast<char**>(known), &pool->limit)
             ? 0
             : -1;
}

PyObject* pool_borrow(PyObject* self, PyObject* const* arguments, Py_ssize_t count,
                      PyObject* names) {
  auto* const pool = reinterpret_cast<Pool*>(self);
  const Py_ssize_t named = names != nullptr ? PyTuple_Size(names) : 0;
  const bool known = named == 0 || (named == 1 && PyUnicode_CompareWithASCIIString(
                                                      PyTuple_GetItem(names, 0), "release") == 0);
  if (count < 1 || count + named > 2 || !known) {
    PyErr_SetString(PyExc_TypeError, "borrow(sample, release=None)");
    return nullptr;
  }
  if (pool->held >= pool->limit)
    return user_error(
        "%zd received samples are held by arrays in use, which is the maximum: delete arrays, or "
        "decode with copy=True",
        pool->limit);
  auto* const loan = reinterpret_cast<Loan*>(PyType_GenericAlloc(loan_type, 0));
  if (loan == nullptr) return nullptr;
  loan->sample = Py_NewRef(arguments[0]);
  loan->release = count + named == 2 && arguments[1] != Py_None ? Py_NewRef(arguments[1]) : nullptr;
  loan->pool = reinterpret_cast<Pool*>(Py_NewRef(self));
  ++pool->held;
  return reinterpret_cast<PyObject*>(loan);
}

bool interpreter_ends() {
  const auto ends = Py_IsFinalizing != nullptr ? Py_IsFinalizing : _Py_IsFinalizing;
  return ends != nullptr && ends() != 0;
}

// A sample may refer to its own loan: the garbage collector has to see the circle.
int loan_traverse(PyObject* self, visitproc visit, void* arg) {
  auto* const loan = reinterpret_cast<Loan*>(self);
  Py_VISIT(Py_TYPE(self));
  Py_VISIT(loan->sample);
  Py_VISIT(loan->release);
  Py_VISIT(reinterpret_cast<PyObject*>(loan->pool));
  return 0;
}

int loan_clear(PyObject* self) {
  auto* const loan = reinterpret_cast<Loan*>(self);
  Py_CLEAR(loan->sample);
  Py_CLEAR(loan->release);
  const Ref pool(reinterpret_cast<PyObject*>(std::exchange(loan->pool, nullptr)));
  return 0;
}

void loan_finalize(PyObject* self) {
  auto* const loan = reinterpret_cast<Loan*>(self);
  PyObject *type, *value, *trace;
  PyErr_Fetch(&type, &value, &trace);
  Pool* const pool = std::exchange(loan->pool, nullptr);
  const Ref pool_reference(reinterpret_cast<PyObject*>(pool));
  const Ref release(std::exchange(loan->release, nullptr));
  // While the interpreter ends, a middleware may be gone already; its own end frees all.
  if (pool != nullptr && !interpreter_ends()) {
    --pool->held;
    if (release) {
      const Ref result(PyObject_CallFunctionObjArgs(release.get(), loan->sample, nullptr));
      if (!result) PyErr_WriteUnraisable(self);
    }
  }
  PyErr_Restore(type, value, trace);
}

PyMemberDef pool_members[] = {
    {"held", T_PYSSIZET, offsetof(Pool, held), READONLY, "Samples that are borrowed now."},
    {nullptr, 0, 0, 0, nullptr},
};

PyMethodDef pool_methods[] = {
    {"borrow", as_function(pool_borrow), METH_FASTCALL | METH_KEYWORDS,
     "Lends a sample; `release(sample)` is called once no array lies on it any more."},
    {nullptr, nullptr, 0, nullptr},
};

std::array pool_slots{
    PyType_Slot{Py_tp_doc, const_cast<char*>("Counts samples whose memory is in use.")},
    PyType_Slot{Py_tp_init, reinterpret_cast<void*>(pool_init)},
    PyType_Slot{Py_tp_methods, pool_methods},
    PyType_Slot{Py_tp_members, pool_members},
    PyType_Slot{0, nullptr},
};
PyType_Spec pool_spec{"wirecost._tensor.SamplePool", sizeof(Pool), 0, Py_TPFLAGS_DEFAULT,
                      pool_slots.data()};

PyMemberDef loan_members[] = {
    // Python clears what can be set as it deletes a loan, so no deallocation of ours is needed,
    // which
    // the stable ABI could not do.
    {"_sample", T_OBJECT_EX, offsetof(Loan, sample), 0, nullptr},
    {"sample", T_OBJECT, offsetof(Loan, sample), READONLY, nullptr},
    {"__weaklistoffset__", T_PYSSIZET, offsetof(Loan, weak), READONLY, nullptr},
    {nullptr, 0, 0, 0, nullptr},
};

std::array loan_slots{
    PyType_Slot{Py_tp_doc, const_cast<char*>("A borrowed sample, the `owner` for `decode`.")},
    PyType_Slot{Py_tp_finalize, reinterpret_cast<void*>(loan_finalize)},
    PyType_Slot{Py_tp_traverse, reinterpret_cast<void*>(loan_traverse)},
    PyType_Slot{Py_tp_clear, reinterpret_cast<void*>(loan_clear)},
    PyType_Slot{Py_tp_members, loan_members},
    PyType_Slot{0, nullptr},
};
PyType_Spec loan_spec{"wirecost._tensor.Loan", sizeof(Loan), 0,
                      Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC | Py_TPFLAGS_DISALLOW_INSTANTIATION,
                      loan_slots.data()};

}  // namespace

bool add_loans(PyObject* module) {
  loan_type = reinterpret_cast<PyTypeObject*>(PyType_FromSpec(&loan_spec));
  if (loan_type == nullptr) return false;
  const Ref pool(PyType_FromSpec(&pool_spec));
  return pool && PyModule_AddObjectRef(module, "SamplePool", pool.get()) == 0 &&
         PyModule_AddObjectRef(module, "Loan", reinterpret_cast<PyObject*>(loan_type)) == 0;
}

}  // namespace wirecost::tensor
